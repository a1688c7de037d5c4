import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect } from 'chai';
import type { RunningProgram } from '../adapters/cli/spawned-program.ts';
import { fewPlugins } from '../kit/few-plugins.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { administer } from '../kit/postgres-server.ts';
import { BackupPlace, bytesBelow } from '../plugins/backup/backup-place.ts';

const LIMIT_MS = 240_000;
const KEY = 'backup-place-0123456789abcdef0123456789abcdef';
const NODE = fewPlugins(
  'audit',
  'capability-tokens',
  'cards',
  'conflicts',
  'gardens',
  'graph',
  'jobs',
  'keys',
  'lint',
  'recall',
  'search',
  'subscriptions',
  'tombstones',
  'upkeep',
);

/** Every word that a test says has this beginning, and no name, id or digest has it. */
const CANARY = 'Canary7f3a9c';
const NUMBER = 736_251_948_203_771;

type Ask = (
  method: string,
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
  // biome-ignore lint/suspicious/noExplicitAny: replies have any shape
) => Promise<any>;

const asking =
  (node: RunningProgram): Ask =>
  async (method, path, body, headers = {}) => {
    const reply = await fetch(`${node.url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${KEY}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await reply.text();
    expect(reply.status, `${method} ${path}: ${text}`).to.be.within(200, 299);
    return text === '' ? undefined : JSON.parse(text);
  };

const fact = (members: object = {}): object => ({
  entity: 'project:atlas',
  relation: 'memory:note',
  value: { type: 'text', v: `${CANARY} is in a text` },
  source: 'agent:writer',
  scope: 'company',
  ...members,
});

/** Says a canary by each route that takes text. Returns the names of these routes. */
const plant = async (ask: Ask, round: number): Promise<readonly string[]> => {
  const planted: string[] = [];
  const by = async <T>(route: string, work: Promise<T>): Promise<T> => {
    const result = await work;
    planted.push(route);
    return result;
  };
  const headers = { 'Idempotency-Key': `${CANARY}-key-${round}`, 'X-Svc-Session': `${CANARY}-session-${round}` };
  const values = [
    { type: 'string', v: `${CANARY} is short` },
    { type: 'text', v: `${CANARY} is a longer text with ${CANARY}words` },
    { type: 'number', v: NUMBER },
    { type: 'ref', v: `user:${CANARY}-friend` },
  ];
  for (const value of values) {
    const relation = `memory:of-${value.type}-${round}`;
    await by(`a fact of type ${value.type}`, ask('POST', '/v1/facts', fact({ relation, value })));
  }
  const kept = fact({ relation: `memory:kept-${round}`, reason: `${CANARY} is the reason` });
  await by(
    'a fact with an idempotency key',
    ask('POST', '/v1/facts', kept, { 'Idempotency-Key': headers['Idempotency-Key'] }),
  );
  const batch = [fact({ relation: `memory:batch-${round}` })];
  await by('a batch', ask('POST', '/v1/facts/batch', batch, { 'Idempotency-Key': `${CANARY}-batch-${round}` }));
  await by('a query', ask('GET', `/v1/facts?entity=project:atlas`, undefined, headers));
  const retracted = fact({ relation: `memory:kept-${round}`, confidence: 0, reason: `${CANARY} was wrong` });
  await by('a retraction', ask('POST', '/v1/facts', retracted));
  for (const side of ['left', 'right']) {
    const value = { type: 'string', v: `${CANARY} is ${side}` };
    await ask('POST', '/v1/facts', fact({ relation: `memory:side-${round}`, value }));
  }
  const { conflicts } = await ask('GET', '/v1/conflicts?limit=1');
  const settled = { new_value: { type: 'string', v: `${CANARY} is both` }, resolution_note: `${CANARY} settles it` };
  await by('a settlement', ask('POST', `/v1/conflicts/${conflicts[0].conflict_id}/resolve`, settled));
  const garden = { slug: `hold-${round}`, name: `${CANARY} garden`, description: `${CANARY} grows`, scope: 'company' };
  await by('a garden', ask('POST', '/v1/gardens', { ...garden, quarantine: true }));
  const held = await ask('POST', '/v1/facts', fact({ relation: `memory:held-${round}`, garden_id: garden.slug }));
  const rejected = { reason: `${CANARY} is refused` };
  await by('a rejection', ask('POST', `/v1/quarantine/${held.id}/reject`, rejected));
  const key = { raw_key: `raw-key-0123456789abcdef0123456789-${round}`, entity_uri: 'user:alice' };
  await by('a key', ask('POST', '/v1/auth/keys', { ...key, description: `${CANARY} is described` }));
  const need = { issuer: 'agent:writer', subject: 'agent:writer', verb: 'subscribe', object: 'project:atlas' };
  const { token_id: token } = await ask('POST', '/v1/federation/capability-tokens', need).catch(() => ({}));
  if (token !== undefined) {
    const path = `/v1/federation/capability-tokens/${token}/revoke`;
    await by('a revoked token', ask('POST', path, { reason: `${CANARY} revokes` }));
  }
  const hidden = { entity_uri: `user:hidden-${round}`, reason: `${CANARY} must go` };
  const { id } = await by('a tombstone', ask('POST', '/v1/tombstones', hidden));
  await by('its end', ask('POST', `/v1/tombstones/${id}/revoke`, { reason: `${CANARY} may stay` }));
  const recalled = await by(
    'a question',
    ask('POST', '/v1/recall', { query: `${CANARY} longer`, token_budget: 2_000 }),
  );
  expect(JSON.stringify(recalled)).to.include(CANARY);
  await by('a card', ask('GET', '/v1/cards/project%3Aatlas?scope=company'));
  await by('neighbours', ask('GET', '/v1/graph/neighbors?entity=project:atlas'));
  return planted;
};

forEachStore('what people say to a sealed node', (kind) => {
  let place: BackupPlace;
  before(async () => {
    place = await BackupPlace.on(kind, NODE);
  });
  after(() => place.dispose());

  const swept = new Set<string>();
  const holds = (bytes: Buffer): boolean =>
    [CANARY, CANARY.toLowerCase(), String(NUMBER)].some(
      (text) =>
        bytes.includes(text) ||
        bytes.includes(Buffer.from(text).toString('hex')) ||
        bytes.includes(Buffer.from(text, 'utf16le')),
    );
  /** Returns the places that hold a canary, and adds all places that it has looked at to `swept`. */
  const sweep = async (of: BackupPlace = place): Promise<readonly string[]> => {
    const found = bytesBelow(of.work.folder).map(({ path, bytes }) => ({
      at: relative(of.work.folder, path).replace(/[0-9a-f-]{36}/, '*'),
      bytes,
    }));
    const { SVC_DATABASE_URL: url } = of.env;
    if (url !== undefined) {
      const tables = await administer(url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
      for (const { tablename } of tables) {
        const rows = await administer(url, `SELECT t::text AS row FROM "${tablename}" t`);
        found.push({ at: `table ${tablename}`, bytes: Buffer.from(rows.map(({ row }) => String(row)).join('\n')) });
      }
    }
    for (const { at } of found) swept.add(at);
    return found.filter(({ bytes }) => holds(bytes)).map(({ at }) => at);
  };

  it('is found by the same sweep in a clear store', async () => {
    const clear = await BackupPlace.on(kind, NODE);
    try {
      const node = await clear.start({ SVC_TOMBSTONES_ENABLED: 'true' });
      await plant(asking(node), 1);
      expect((await sweep(clear)).length).to.be.above(0);
      await node.end();
    } finally {
      await clear.dispose();
    }
  }).timeout(LIMIT_MS);

  it('is in no file and no table in the clear, while the node runs, after a kill and after a restart', async () => {
    const file = place.work.path('keys');
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
    const env = { SVC_ENCRYPTION_KEY_FILE: file, SVC_TOMBSTONES_ENABLED: 'true' };
    const first = await place.start(env);
    const planted = await plant(asking(first), 1);
    expect(planted).to.have.length.above(15);
    expect(await sweep(), 'while the node runs').to.deep.equal([]);
    const load = plant(asking(first), 2).catch(() => []);
    expect(await sweep(), 'under load').to.deep.equal([]);
    await first.end('SIGKILL');
    await load;
    expect(await sweep(), 'after a kill').to.deep.equal([]);
    const second = await place.start(env);
    const found = await asking(second)('GET', '/v1/facts?entity=project:atlas');
    expect(JSON.stringify(found)).to.include(CANARY);
    await plant(asking(second), 3);
    expect(await sweep(), 'after a restart').to.deep.equal([]);
    await second.end();
    expect(await sweep(), 'after the end').to.deep.equal([]);
    const own = kind === 'sqlite' ? ['data/svc.db'] : ['table facts', 'table facts_idempotency', 'table audit_entries'];
    expect([...swept]).to.include.members([...own, 'data/content-keys.json']);
  }).timeout(LIMIT_MS);

  it('is in no table after a clear store was sealed, and is still found', async () => {
    const later = await BackupPlace.on(kind, NODE);
    try {
      const clear = await later.start({ SVC_TOMBSTONES_ENABLED: 'true' });
      await plant(asking(clear), 1);
      await clear.end();
      const file = later.work.path('keys');
      writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
      const env = { SVC_ENCRYPTION_KEY_FILE: file, SVC_TOMBSTONES_ENABLED: 'true' };
      const sealed = await later.run(['encryption', 'on'], env);
      expect(sealed.exitCode, sealed.stderr).to.equal(0);
      const node = await later.start(env);
      await plant(asking(node), 2);
      const near = await asking(node)('GET', '/v1/graph/neighbors?entity=project:atlas');
      expect(near.neighbors).to.have.length(1);
      expect(await sweep(later)).to.deep.equal([]);
      await node.end();
    } finally {
      await later.dispose();
    }
  }).timeout(LIMIT_MS);
});
