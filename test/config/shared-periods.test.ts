import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { ServingNode } from '../adapters/cli/spawned-program.ts';
import { fewPlugins } from '../kit/few-plugins.ts';
import { BackupPlace, fact, request } from '../plugins/backup/backup-place.ts';
import { holdKeys } from '../plugins/backup/sealed-place.ts';
import { passDay } from './pass-day.ts';

const LIMIT_MS = 240_000;
const ADMIN = 'backup-place-0123456789abcdef0123456789abcdef';
const TENANTS = ['acme', 'beta'] as const;
const keyOf = (tenant: string): string => `${tenant}-0123456789abcdef0123456789abcdef`;

describe('kept replies of two processes on one sealed PostgreSQL database', () => {
  let place: BackupPlace;
  let nodes: readonly ServingNode[] = [];
  before(async () => {
    place = await BackupPlace.on('postgres', fewPlugins('backup', 'jobs', 'multi-tenant'));
  });
  after(async () => {
    for (const node of nodes) await node.end();
    await place.dispose();
  });

  /** Sends a request of a tenant, or once more. Returns the text of the reply. */
  const ask = async (node: ServingNode, once: string, key: string): Promise<string> => {
    const reply = await fetch(`${node.url}/v1/facts`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': once },
      body: JSON.stringify(fact('user:a', once)),
    });
    const text = await reply.text();
    expect(reply.status, text).to.equal(201);
    return text;
  };
  const removeAcme = async (node: ServingNode): Promise<void> => {
    const removed = await request(node, 'DELETE', '/v1/tenants/acme', { confirm: 'acme' });
    expect(removed.status, JSON.stringify(removed.body)).to.be.within(200, 202);
  };

  it('stay the same while other processes begin periods, and when one of their tenants is removed', async () => {
    const env = { SVC_MULTI_TENANT_ENABLED: 'true', ...holdKeys(place, randomBytes(32)) };
    const first = await place.start(env);
    nodes = [first, await place.start(env)];
    for (const id of TENANTS) {
      const first_key = { raw_key: keyOf(id), entity_uri: `agent:${id}` };
      expect((await request(first, 'POST', '/v1/tenants', { id, first_key })).status).to.equal(201);
    }
    const kept = new Map<string, readonly [key: string, text: string]>();
    const expectSame = async (): Promise<void> => {
      for (const [once, [key, text]] of kept) {
        for (const node of nodes) expect(await ask(node, once, key), once).to.equal(text);
      }
    };
    for (let day = 0; day < 4; day += 1) {
      for (const [at, node] of nodes.entries()) {
        for (const key of [ADMIN, ...TENANTS.map(keyOf)]) {
          const once = `day-${day}-at-${at}-by-${key.slice(0, 4)}`;
          kept.set(once, [key, await ask(node, once, key)]);
        }
      }
      await passDay(place, env);
      await expectSame();
    }
    await removeAcme(first);
    for (const [once, [key]] of kept) if (key === keyOf('acme')) kept.delete(once);
    for (let day = 0; day < 2; day += 1) await passDay(place, env);
    await expectSame();
  }).timeout(LIMIT_MS);
});
