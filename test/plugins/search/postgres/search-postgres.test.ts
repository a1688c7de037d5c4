import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../../../config/plugin-catalog.ts';
import { SearchIndex } from '../../../../plugins/search/search-api.ts';
import { FactStore } from '../../../../ports/ports.ts';
import { Workplace } from '../../../adapters/cli/spawned-program.ts';
import { createSeededRandom } from '../../../fakes/seeded-random.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { administer } from '../../../kit/postgres-server.ts';
import { rejection } from '../../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';
import { startVectorPostgres, type VectorPostgres } from '../../../kit/vector-postgres.ts';
import { exportLines, importAll } from '../../transfer/transfer-node.ts';

const BASE = ['keys', 'facts', 'conflicts', 'node-info', 'tombstones'];
const PLUGINS = [...BASE, 'jobs', 'recall', 'search-postgres', 'transfer'];
const TABLES = ['search_postgres_facts', 'search_postgres_words', 'search_postgres_vectors'];
const SETTINGS = { tombstones: { enabled: true } };

describe('search in PostgreSQL', function () {
  this.timeout(120_000);
  let database: VectorPostgres;
  let folder: string;
  let node: TestNode;
  let key: string;
  let admin: string;

  const start = async (plugins: readonly string[]): Promise<void> => {
    node = await startTestNode({ plugins, databaseUrl: database.url, folder, settings: SETTINGS });
    key = await node.addKey();
    admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['read', 'write', 'admin'] });
  };
  const post = async (path: string, body: object, caller = key) => {
    const reply = await node.request('POST', path, { key: caller, body });
    expect(reply.status, reply.text).to.be.within(200, 202);
    return reply.body;
  };
  const say = async (entity: string, v: string, members: object = {}): Promise<string> => {
    const fact = { entity, relation: 'memory:note', value: { type: 'text', v }, source: 'agent:test', ...members };
    return (await post('/v1/facts', fact)).id;
  };
  const recall = async (query: string, members: object = {}): Promise<readonly string[]> => {
    const { facts } = await post('/v1/recall', { query, token_budget: 1_000, ...members });
    return facts.map(({ fact }: { fact: { value: { v: string } } }) => fact.value.v);
  };
  const countHits = async (query: string, nowMs = node.clock.nowMs()): Promise<number> => {
    const view = { tenantId: 'default', scopes: ['local'], gardens: 'all', nowMs, minConfidence: 0 } as const;
    const index = node.kernel.get(SearchIndex);
    await index.ready();
    const [{ hits } = { hits: [] }] = await index.ask([{ find: 'words', query, limit: 5 }], view);
    return hits.length;
  };
  const countRows = async (table: string): Promise<number> => {
    const [row] = await node.kernel.get(FactStore).table(table).count({ n: '*' });
    return Number(row?.n);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'search-postgres-'));
    database = await startVectorPostgres();
    await start(BASE);
    await say('user:early', 'a lantern from before');
    await post('/v1/facts', {
      entity: 'user:gone',
      relation: 'memory:note',
      value: { type: 'text', v: 'lantern lost' },
      source: 'agent:test',
    });
    await post('/v1/facts', {
      entity: 'user:gone',
      relation: 'memory:note',
      value: { type: 'null' },
      source: 'agent:test',
      confidence: 0,
    });
    await node.stop();
    await start(PLUGINS);
  });
  after(async () => {
    await node?.stop();
    await database?.empty();
    await database?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('adds facts that were stored while it was off, except those that have ended', async () => {
    expect(await recall('lantern')).to.deep.equal(['a lantern from before']);
  });

  it('finds a fact by its words with the next recall, and no longer after its retraction', async () => {
    await say('user:ann', 'Ann keeps zebras');
    expect(await recall('zebras')).to.deep.equal(['Ann keeps zebras']);
    await post('/v1/facts', {
      entity: 'user:ann',
      relation: 'memory:note',
      value: { type: 'null' },
      source: 'agent:test',
      confidence: 0,
    });
    expect(await countHits('zebras')).to.equal(0);
  });

  it('applies the times-to-live that an import brings', async () => {
    const there = node;
    const ownKey = key;
    node = await startTestNode({ random: createSeededRandom(2) });
    key = await node.addKey();
    const id = await say('user:dora', 'Dora herds yaks');
    const ttl = { type: 'datetime', v: new Date(node.clock.nowMs() + 60_000).toISOString() };
    await post('/v1/facts', { entity: `svc:fact:${id}`, relation: 'svc:ttl', value: ttl, source: 'agent:test' });
    const lines = await exportLines(node);
    await node.stop();
    node = there;
    key = ownKey;
    expect((await importAll(node, lines)).refused).to.deep.equal([]);
    expect(await countHits('yaks')).to.equal(1);
    expect(await countHits('yaks', node.clock.nowMs() + 120_000)).to.equal(0);
  });

  it('finds facts by their vectors, which are computed after the write', async () => {
    await say('user:bob', 'she studied counselling and education');
    await comesTrue(async () => {
      await node.clock.advance(2_000);
      return (await recall('educaton counseling', { weights: { vector: 1 } })).length > 0;
    });
    expect((await recall('educaton counseling', { weights: { vector: 1 } }))[0]).to.include('counselling');
  });

  it('hides the facts of a tombstone at once, and finds them again after its revocation', async () => {
    await say('user:cem', 'Cem tames griffins');
    const { id } = await post('/v1/tombstones', { entity_uri: 'user:cem' }, admin);
    const rows = await countRows('search_postgres_facts');
    expect(await recall('griffins')).to.deep.equal([]);
    expect(await countRows('search_postgres_facts')).to.equal(rows - 1);
    await post(`/v1/tombstones/${id}/revoke`, { reason: 'a mistake' }, admin);
    await comesTrue(async () => (await recall('griffins')).length === 1);
  });

  it('stores the rows of all facts again when the index is rebuilt', async () => {
    const store = node.kernel.get(FactStore);
    await store.write('default', (transaction) => transaction.table('search_postgres_facts').delete());
    expect(await recall('lantern')).to.deep.equal([]);
    await post('/v1/admin/reindex', { what: ['words'] }, admin);
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return (await recall('lantern')).length === 1;
    });
  });

  it('keeps no row of a fact in any table after its erasure', async () => {
    const before = await Promise.all(TABLES.map(countRows));
    const erased = await say('user:eve', 'Eve hides unicorns');
    await comesTrue(async () => {
      await node.clock.advance(2_000);
      return (await countRows('search_postgres_vectors')) > (before[2] as number);
    });
    const { id } = await post('/v1/tombstones', { entity_uri: 'user:eve' }, admin);
    await post(`/v1/tombstones/${id}/erase`, { confirm: 'user:eve' }, admin);
    await comesTrue(async () => {
      await node.clock.advance(1_000);
      return (await Promise.all(TABLES.map(countRows))).every((rows, at) => rows === before[at]);
    });
    expect(erased).to.be.a('string');
  });
});

describe('search in PostgreSQL that cannot start', function () {
  this.timeout(120_000);

  it('names the store that it requires', async () => {
    const { message } = await rejection(
      startTestNode({ plugins: ['keys', 'facts', 'search-postgres'], store: 'sqlite' }),
    );
    expect(message).to.include('search-postgres needs a store in PostgreSQL');
  });

  it('names the extension that it requires, and the command that creates it', async () => {
    const database = await startVectorPostgres();
    try {
      await administer(database.url, 'DROP EXTENSION vector');
      const started = startTestNode({ plugins: ['keys', 'facts', 'search-postgres'], databaseUrl: database.url });
      const error = await rejection(started);
      expect(error.message).to.include('search-postgres needs the extension pgvector');
      expect(JSON.stringify(error)).to.include('CREATE EXTENSION vector');
    } finally {
      await database.empty();
      await database.stop();
    }
  });
});

describe('search in PostgreSQL, on a node with a key of the operator', () => {
  it('stops the start of a sealed node, and says why and what to do', async () => {
    const place = new Workplace();
    const database = await startVectorPostgres();
    try {
      const off = Object.keys(PLUGIN_CATALOG).filter((name) => !PLUGINS.includes(name));
      const plugins = Object.fromEntries([...off.map((name) => [name, false]), ['search-postgres', true]]);
      writeFileSync(place.path('node.json'), JSON.stringify({ plugins }));
      writeFileSync(place.path('keys'), randomBytes(32).toString('hex'), { mode: 0o600 });
      const env = { SVC_DATABASE_URL: database.url, SVC_ENCRYPTION_KEY_FILE: place.path('keys') };
      const refused = await place.run(['start', '--config', 'node.json'], env);
      expect(refused.exitCode).to.equal(1);
      expect(refused.stderr).to.include('search-postgres keeps words of facts in the clear, and the store is sealed');
      expect(refused.stderr).to.include('hint: switch search on in place of search-postgres');
    } finally {
      await place.dispose();
      await database.empty();
      await database.stop();
    }
  }).timeout(120_000);
});
