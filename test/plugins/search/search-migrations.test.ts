import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type AnyPlugin,
  DEFAULT_TENANT,
  definePlugin,
  Embedder,
  equals,
  KERNEL_API,
  type Migration,
} from '../../../kernel/plugin-api.ts';
import { createCodeSpace } from '../../../plugins/search/codes/code-space.ts';
import { embedText } from '../../../plugins/search/embedding/embed-text.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createScriptedEmbedder } from '../../fakes/scripted-embedder.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const TEXTS = ['one', 'two', 'three'];
const DIMENSIONS = 8;

/** The migration of `recall` in releases before the plugin `search`, as it was. */
const OLD_LAYOUT: Migration = {
  number: 20,
  name: 'recall',
  async up({ schema, dialect }) {
    await schema.createTable('recall_access', (table) => {
      table.text('fact_id').primary();
      table.text('tenant_id').notNullable();
      table.bigInteger('count').notNullable();
    });
    await schema.createTable('recall_access_peaks', (table) => {
      table.text('tenant_id').notNullable();
      table.text('scope').notNullable();
      table.text('garden_id').notNullable();
      table.bigInteger('count').notNullable();
      table.primary(['tenant_id', 'scope', 'garden_id']);
    });
    await schema.createTable('recall_vectors', (table) => {
      dialect.numberRows(table, 'seq', { deletesRows: true });
      table.text('tenant_id').notNullable();
      table.text('fact_id').notNullable();
      table.text('embedder').notNullable();
      table.double('scale').notNullable();
      table.binary('code').notNullable();
      table.index(['embedder', 'seq'], 'recall_vectors_embedder');
    });
    await schema.createTable('recall_embedders', (table) => {
      table.text('embedder').primary();
      table.bigInteger('feed_wall').notNullable();
      table.integer('feed_ctr').notNullable();
      table.bigInteger('used_ms').notNullable();
    });
  },
};

const oldRecall = definePlugin({
  name: 'recall',
  version: '0.8.0',
  kernelApi: KERNEL_API,
  migrations: [OLD_LAYOUT],
  setup: () => undefined,
});

/** Keeps what it was asked to embed for storing. */
const watchedEmbedder = (documents: string[]): AnyPlugin =>
  definePlugin({
    name: 'watched-embedder',
    version: '1.0.0',
    kernelApi: KERNEL_API,
    provides: [Embedder],
    setup: ({ provide }) =>
      provide(Embedder, {
        ...scripted,
        embed: async (texts, purpose) => {
          if (purpose === 'document') documents.push(...texts);
          return scripted.embed(texts, purpose);
        },
      }),
  });

const scripted = createScriptedEmbedder({}, DIMENSIONS);

/** Gives every fact its vector in the old tables, as the old release did. */
const embedAsBefore = async (store: FactStore): Promise<void> => {
  const facts = await store.read((snapshot) =>
    snapshot.find({ filter: equals('system', false), order: 'feed', limit: 100 }),
  );
  const codes = createCodeSpace({ dimensions: DIMENSIONS });
  const vectors = await scripted.embed(facts.map(embedText), 'document');
  await store.write(DEFAULT_TENANT, async (transaction) => {
    const rows = facts.map(({ id, tenantId }, at) => {
      const { code, scale } = codes.quantise(vectors[at] as Float32Array);
      const bytes = new Uint8Array(code.buffer, code.byteOffset, code.byteLength);
      return { tenant_id: tenantId, fact_id: id, embedder: scripted.id, scale, code: bytes };
    });
    await transaction.insertRows('recall_vectors', rows);
    const { feed } = facts.at(-1) as (typeof facts)[number];
    const place = { feed_wall: feed.wallMs, feed_ctr: feed.counter, used_ms: 0 };
    await transaction.insertRows('recall_embedders', [{ embedder: scripted.id, ...place }]);
  });
};

forEachStore('the tables of search', () => {
  let folder: string;
  let node: TestNode | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'old-layout-'));
  });
  afterEach(async () => {
    await node?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (...plugins: readonly (string | AnyPlugin)[]): Promise<TestNode> => {
    node = await startTestNode({ plugins: ['keys', 'facts', ...plugins], folder });
    return node;
  };
  const say = async ({ request }: TestNode, key: string, v: string): Promise<void> => {
    const body = { entity: `user:${v}`, relation: 'memory:note', value: { type: 'text', v }, source: 'agent:s' };
    expect((await request('POST', '/v1/facts', { key, body })).status).to.equal(201);
  };
  const nearest = async (started: TestNode, key: string, v: string): Promise<unknown> => {
    await started.clock.advance(0);
    const body = { query: `${v} memory:note ${v}`, weights: { vector: 1 }, token_budget: 1_000 };
    const reply = await started.request('POST', '/v1/recall', { key, body });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body.facts[0]?.fact.value.v;
  };

  it('are those that recall had before, with all vectors in them, and grow from there', async () => {
    const old = await start(oldRecall);
    const key = await old.addKey();
    for (const v of TEXTS) await say(old, key, v);
    await embedAsBefore(old.kernel.get(FactStore));
    await old.stop();

    const documents: string[] = [];
    const now = await start('recall', 'search', watchedEmbedder(documents));
    for (const v of TEXTS) await comesTrue(async () => (await nearest(now, key, v)) === v);
    expect(documents).to.deep.equal([]);
    await say(now, key, 'four');
    await comesTrue(async () => (await nearest(now, key, 'four')) === 'four');
    expect(documents).to.deep.equal(['four memory:note four']);
    const store = now.kernel.get(FactStore);
    const rows = await store.table('search_vectors').orderBy('seq').select('seq');
    expect(rows.map(({ seq }: { seq: unknown }) => Number(seq))).to.deep.equal([1, 2, 3, 4]);
    expect((await store.tables()).filter((table) => /^(recall|search)_/.test(table))).to.deep.equal(TABLES);
  });

  it('are taken over while recall is off, and are the same when it comes back', async () => {
    const old = await start(oldRecall);
    const key = await old.addKey();
    for (const v of TEXTS) await say(old, key, v);
    await embedAsBefore(old.kernel.get(FactStore));
    await old.stop();

    const documents: string[] = [];
    await (await start('search', watchedEmbedder(documents))).stop();
    const both = await start('search', 'recall', watchedEmbedder(documents));
    await comesTrue(async () => (await nearest(both, key, 'two')) === 'two');
    expect(documents).to.deep.equal([]);
  });

  it('are the same in a new store, whichever of the two plugins came first', async () => {
    await (await start('search')).stop();
    const started = await start('search', 'recall');
    const tables = await started.kernel.get(FactStore).tables();
    expect(tables.filter((table) => /^(recall|search)_/.test(table))).to.deep.equal(TABLES);
  });
});

const TABLES = ['recall_access', 'recall_access_peaks', 'search_embedders', 'search_rebuilds', 'search_vectors'];
