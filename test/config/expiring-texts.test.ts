import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { ServingNode } from '../adapters/cli/spawned-program.ts';
import { openContentSeal } from '../kit/content-seal.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { BACKED_UP, BackupPlace, fact, request } from '../plugins/backup/backup-place.ts';
import { holdKeys, succeed } from '../plugins/backup/sealed-place.ts';
import { openedTexts } from './opened-texts.ts';
import { beganMs, passDay } from './pass-day.ts';

const LIMIT_MS = 240_000;
const CANARY = 'canary-5d21e8';
const REPLIES = 'facts_idempotency';

type Env = Record<string, string>;

forEachStore('kept replies of a node with an encryption key', (kind) => {
  let place: BackupPlace;
  const key = randomBytes(32);
  beforeEach(async () => {
    place = await BackupPlace.on(kind, { ...BACKED_UP, audit: true });
  });
  afterEach(() => place.dispose());

  /** Sends a request with an idempotency key. Returns the reply that the node keeps. */
  const ask = async (node: ServingNode): Promise<string> => {
    const reply = await fetch(`${node.url}/v1/facts`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${place.env['SVC_BOOTSTRAP_KEY']}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'once',
      },
      body: JSON.stringify(fact('user:a', CANARY)),
    });
    expect(reply.status).to.equal(201);
    return reply.text();
  };
  const askApart = async (env: Env): Promise<string> => {
    const node = await place.start(env);
    const text = await ask(node);
    await node.end();
    return text;
  };
  const storedIn = async (table: string): Promise<Record<string, unknown>[]> =>
    ((await place.rows()).get(table) ?? []).map((row) => JSON.parse(row));

  it('can be read from a stolen backup until their key is destroyed, and are deleted again after a restore', async () => {
    const env = holdKeys(place, key);
    const node = await place.start(env);
    await ask(node);
    await waitUntil('a period has begun', LIMIT_MS, async () => Number(await beganMs(place)) > 0);
    await node.end();
    const backup = await succeed(place, env, 'backup');
    const stolen = await place.rows();
    const source = { readKeys: async () => [key] };
    const texts = async (): Promise<string> =>
      openedTexts(stolen, REPLIES, await openContentSeal({ path: place.work.path('data/content-keys.json'), source }));
    await passDay(place, env);
    await passDay(place, env);
    expect(await texts()).to.include(CANARY);
    await place.tamper(`DELETE FROM ${REPLIES}`);
    await passDay(place, env);
    expect(await texts()).to.not.include(CANARY);
    await succeed(place, env, 'restore', backup, '--replace');
    expect(await storedIn(REPLIES)).to.have.length(1);
    await succeed(place, env, 'verify');
    const restored = await place.start(env);
    expect(await storedIn(REPLIES)).to.have.length(0);
    expect((await request(restored, 'GET', '/v1/facts?entity=user:a')).body.facts).to.have.length(1);
    await restored.end();
    await succeed(place, env, 'restore', backup, '--replace');
    await succeed(place, env, 'encryption', 'rotate');
    expect(await storedIn(REPLIES)).to.have.length(0);
    await succeed(place, env, 'verify');
  }).timeout(LIMIT_MS);

  it('stay when the store is sealed, sealed with new keys, and opened, and have a period while it is sealed', async () => {
    const clear = await place.start({});
    const first = await ask(clear);
    // Leaves an entry in the audit log, whose chain each "verify" reads.
    await fetch(`${clear.url}/v1/facts`, { headers: { Authorization: 'Bearer unknown' } });
    await clear.end();
    expect(await storedIn('audit_entries')).to.have.length.above(0);
    const env = holdKeys(place, key);
    const periods: unknown[] = [];
    for (const command of ['on', 'rotate', 'off']) {
      await succeed(place, env, 'encryption', command);
      await succeed(place, env, 'verify');
      const [row] = await storedIn(REPLIES);
      periods.push(row?.['period']);
      expect(String(row?.['body']).startsWith('sealed:1:')).to.equal(command !== 'off');
      expect(await askApart(env)).to.equal(first);
    }
    expect(periods).to.deep.equal([1, 1, null]);
  }).timeout(LIMIT_MS);
});
