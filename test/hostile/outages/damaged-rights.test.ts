import { expect } from 'chai';
import { noteKey } from '../../../kernel/internal-api.ts';
import { type SealedColumns, StoredRows } from '../../../kernel/plugin-api.ts';
import { StoreVerification } from '../../../plugins/backup/backup-api.ts';
import { SEALED as TOKENS } from '../../../plugins/capability-tokens/capability-row.ts';
import { SEALED as PEERS } from '../../../plugins/federation/peerings/peer-row.ts';
import { SEALED_AGENT_KEYS as AGENT_KEYS } from '../../../plugins/keys/agent-key-store.ts';
import { SEALED as KEYS } from '../../../plugins/keys/key-row.ts';
import { SEALED as TENANTS } from '../../../plugins/multi-tenant/multi-tenant-migrations.ts';
import { SEALED as RULES } from '../../../plugins/namespaces/rule-row.ts';
import { FactStore, type Row } from '../../../ports/ports.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { declareBoth, pull } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const AGENT = 'agent:damaged';
const TENANT = 'acme';
const OTHER = 'other';
const SECRET = 'a'.repeat(32);

/** The tables with rows that decide about rights. */
const ALL: readonly SealedColumns[] = [KEYS, AGENT_KEYS, TENANTS, RULES, PEERS, TOKENS];

/** Returns the text with one bit flipped, or another number. */
const flipped = (value: unknown): string | number => {
  const text = String(value);
  if (/^\d+$/.test(text)) return Number(text) + 1;
  return `${text.slice(0, -1)}${String.fromCharCode(text.charCodeAt(text.length - 1) ^ 1)}`;
};

forEachStore('A flipped bit in a row that decides about rights (I20)', () => {
  const world = createWorld();
  let node: FederatedNode;
  let peer: TestPeer;
  let key: string;
  let capability: string;
  const store = () => node.kernel.get(FactStore);
  const ask = (method: string, path: string, body?: unknown, as = node.key, headers = {}) =>
    node.request(method, path, { key: as, headers, ...(body === undefined ? {} : { body }) });
  const made = async (method: string, path: string, body: unknown) => {
    const reply = await ask(method, path, body);
    expect(reply.status, reply.text).to.be.within(200, 201);
    return reply.body;
  };

  before(async () => {
    node = await startFederatedNode({
      name: 'n',
      ...world,
      env: { SVC_NAMESPACES_ENABLED: 'true', SVC_MULTI_TENANT_ENABLED: 'true' },
    });
    peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    await declareBoth(node, peer);
    key = await node.addKey({ entityUri: AGENT, permissions: ['read', 'write'], scopes: ['public'] });
    expect((await ask('POST', '/v1/auth/agent-keys', { public_key: peer.publicKey }, key)).status).to.equal(201);
    await made('PUT', '/v1/namespaces', { pattern: 'user:owned/*', owners: ['agent:owner'] });
    const body = { issuer: 'agent:owner-of-n', subject: AGENT, verb: 'subscribe', object: 'user:seen' };
    capability = (await made('POST', '/v1/federation/capability-tokens', body)).token_json;
  });
  after(async () => {
    await node?.stop();
    await peer?.stop();
  });

  /** Returns the row that the cases change. */
  const rowOf = async ({ table }: SealedColumns): Promise<Row> => {
    const rows = (await store().table(table).select()) as Row[];
    return (rows.find((row) => row['entity_uri'] === AGENT) ?? rows.at(-1)) as Row;
  };
  /** Runs `work` while one column of the row holds another value. */
  const whileChanged = async (
    { table, key: names }: SealedColumns,
    row: Row,
    column: string,
    value: unknown,
    work: () => Promise<void>,
  ): Promise<void> => {
    const named = (of: Row) => Object.fromEntries(names.map((name) => [name, of[name] ?? null]));
    const write = async (of: Row, to: unknown) => {
      const changed = await store()
        .table(table)
        .where(named(of))
        .update({ [column]: to });
      expect(Number(changed), `${table} ${column}`).to.equal(1);
    };
    await write(row, value);
    // The node keeps keys for a second.
    await world.clock.advance(2_000);
    try {
      await work();
    } finally {
      await write({ ...row, [column]: value } as Row, row[column] ?? null);
      await world.clock.advance(2_000);
    }
  };
  const damages = async (): Promise<string> => {
    const found: string[] = [];
    await node.kernel.get(StoredRows).check((message) => void found.push(message));
    return found.join('\n');
  };

  for (const sealed of ALL) {
    it(`is found by the integrity check of rows, for each column of ${sealed.table}`, async () => {
      const row = await rowOf(sealed);
      for (const column of sealed.plain ?? []) {
        const value = row[column] == null ? (column.endsWith('_ms') ? 1 : 'x') : flipped(row[column]);
        await whileChanged(sealed, row, column, value, async () => {
          expect(await damages(), column).to.include(`a row of ${sealed.table}`);
        });
      }
      expect(await damages()).not.to.include(sealed.table);
    });
  }

  it('is reported by "verify" in the stored keys of the node', async () => {
    const notes: SealedColumns = { table: 'node_settings', key: ['key'], columns: ['value'] };
    const [row] = (await store()
      .table(notes.table)
      .where({ key: noteKey('node-keys') })) as Row[];
    const { value } = row as Row;
    await whileChanged(notes, row as Row, 'value', flipped(value), async () => {
      const { findings } = await node.kernel.get(StoreVerification).run();
      expect(findings.map(({ message }) => message)).to.include(
        'the column value of node_settings is damaged (key note:node-keys)',
      );
    });
  });

  it('makes an API key invalid, while other keys work', async () => {
    const row = await rowOf(KEYS);
    const use = async () => (await ask('GET', '/v1/me', undefined, key)).status;
    expect(await use()).to.equal(200);
    const changes = { entity_uri: 'agent:damagee', permissions: 'admin,read', allowed_scopes: 'local', oidc_sub: 'x' };
    for (const [column, value] of Object.entries(changes)) {
      await whileChanged(KEYS, row, column, value, async () => {
        expect(await use(), column).to.equal(401);
        expect((await ask('GET', '/v1/me')).status).to.equal(200);
        expect((await ask('GET', '/v1/auth/keys')).text).not.to.include(row['id']);
      });
    }
    expect(await use()).to.equal(200);
    await ask('DELETE', `/v1/auth/keys/${row['id']}`);
    const revoked = await rowOf(KEYS);
    await whileChanged(KEYS, revoked, 'revoked_ms', null, async () => {
      expect(await use()).to.equal(401);
    });
  });

  it('takes all rights from a peer or a capability token', async () => {
    const row = await rowOf(PEERS);
    expect((await pull(node, peer)).status).to.equal(200);
    await whileChanged(PEERS, row, 'grant_version', 9, async () => {
      expect((await pull(node, peer)).status).to.equal(401);
      expect((await ask('GET', '/v1/federation/peers')).body.peers).to.deep.equal([]);
    });
    expect((await pull(node, peer)).status).to.equal(200);
    const token = await rowOf(TOKENS);
    const reader = await node.addKey({ entityUri: AGENT, permissions: ['read'], scopes: ['public'] });
    const subscribe = (target: string) => {
      const body = { target, on_change: 'webhook', webhook_url: 'https://hook.test/in' };
      return ask('POST', '/v1/subscriptions', body, reader, { 'X-Svc-Capability': capability });
    };
    await whileChanged(TOKENS, token, 'object', 'user:seeo', async () => {
      expect((await subscribe('user:seen')).status).to.equal(403);
    });
    expect((await subscribe('user:seen')).status).to.equal(201);
  });

  it('makes its tenant count as suspended', async () => {
    const first = { entity_uri: 'agent:a', permissions: ['read'], allowed_scopes: ['public'] };
    await made('POST', '/v1/tenants', { id: TENANT, first_key: { ...first, raw_key: SECRET } });
    await made('POST', '/v1/tenants', { id: OTHER, first_key: { ...first, raw_key: OTHER.repeat(16) } });
    const use = async () => (await ask('GET', '/v1/me', undefined, SECRET)).status;
    const change = (id: string, status: string) => made('PATCH', `/v1/tenants/${id}`, { status });
    expect(await use()).to.equal(200);
    for (const status of ['active', 'suspended']) {
      if (status === 'suspended') await change(TENANT, status);
      const row = ((await store().table(TENANTS.table).where({ id: TENANT })) as Row[])[0] as Row;
      await whileChanged(TENANTS, row, 'status', flipped(status), async () => {
        // A change of any tenant lets the node read all of them again.
        await change(OTHER, 'suspended');
        await change(OTHER, 'active');
        expect(await use(), status).to.equal(403);
      });
    }
    await change(TENANT, 'active');
    expect(await use()).to.equal(200);
  });
});
