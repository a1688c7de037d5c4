import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PLUGIN_CATALOG } from '../../config/plugin-catalog.ts';
import { definePlugin, Embedder, KERNEL_API } from '../../kernel/plugin-api.ts';
import { createScriptedEmbedder } from '../fakes/scripted-embedder.ts';
import { comesTrue } from '../kit/comes-true.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { readCatalogue } from '../kit/store-catalogue.ts';
import { placeTestStore } from '../kit/test-store.ts';
import { pageText } from './read-pages.ts';

const ROW = /^\| `(\w+)` \| (tenants|node) \| (copy|leave out) \| .+ \|$/gm;

const described = [...pageText('docs/reference/tables.md').matchAll(ROW)].map(
  ([, table = '', of = '', backup = '']) => ({
    table,
    of,
    backup,
  }),
);

const embedder = definePlugin({
  name: 'test-embedder',
  version: '1.0.0',
  kernelApi: KERNEL_API,
  provides: [Embedder],
  setup: ({ provide }) => provide(Embedder, createScriptedEmbedder()),
});

const PLUGINS = [...Object.keys(PLUGIN_CATALOG), embedder];

forEachStore('The tables of a store', (kind) => {
  let folder: string;
  let node: TestNode | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tables-'));
  });
  afterEach(async () => {
    await node?.stop();
    await (await placeTestStore(kind, folder)).remove();
    await rm(folder, { recursive: true, force: true });
  });
  const start = async (): Promise<TestNode> => {
    node = await startTestNode({ plugins: PLUGINS, folder });
    return node;
  };

  it('are the tables on the page, each with its owner', async () => {
    await (await start()).stop();
    const { columns } = await readCatalogue(await placeTestStore(kind, folder));
    const found = Object.entries(columns).map(([table, names]) => ({
      table,
      of: names.some((name) => name.startsWith('tenant_id ')) ? 'tenants' : 'node',
    }));
    const told = described.map(({ table, of }) => ({ table, of }));
    const byName = (one: { table: string }, other: { table: string }) => (one.table < other.table ? -1 : 1);
    expect(told.sort(byName)).to.deep.equal(found.sort(byName));
  });

  it('include a migration ledger whose names are fixed', async () => {
    await (await start()).stop();
    const store = (await placeTestStore(kind, folder)).open();
    const applied = await store.read((snapshot) => snapshot.table('schema_migrations').pluck('version'));
    await store.close();
    const fixed = [...pageText('docs/reference/tables.md').matchAll(/`(\d{3}_\w+)`/g)].map(([, name]) => name);
    expect(fixed).to.have.length.above(5);
    expect(applied).to.include.members(fixed);
  });

  it('are all documented with the effect of an erasure', () => {
    const told = [...pageText('docs/reference/erasure.md').matchAll(/^\| `(\w+)` \| .+ \|$/gm)].map(
      ([, table]) => table,
    );
    expect(told.sort()).to.deep.equal(described.map(({ table }) => table).sort());
  });

  it('are rebuilt if the page excludes them from a backup', async () => {
    const first = await start();
    const key = await first.addKey();
    const say = async (entity: string, value: unknown, relation = 'memory:note') => {
      const body = { entity, relation, value, source: 'agent:s', scope: 'company' };
      const reply = await first.request('POST', '/v1/facts', { key, body });
      expect(reply.status, reply.text).to.equal(201);
    };
    await say('user:alice', { type: 'text', v: 'grows roses' });
    await say('user:alice', { type: 'ref', v: 'user:bob' }, 'rel:knows');
    const answers = async ({ request, clock }: TestNode): Promise<readonly unknown[]> => {
      await clock.advance(0);
      const body = { query: 'user:alice memory:note grows roses', weights: { vector: 1 }, token_budget: 1_000 };
      const recalled = await request('POST', '/v1/recall', { key, body });
      const near = await request('GET', '/v1/graph/neighbors?entity=user:alice', { key });
      const card = await request('GET', '/v1/cards/user%3Aalice?scope=company', { key });
      expect([recalled.status, near.status, card.status], recalled.text + near.text + card.text).to.deep.equal([
        200, 200, 200,
      ]);
      return [
        recalled.body.facts.map(({ fact }: { fact: { id: string } }) => fact.id),
        near.body.neighbors,
        card.body.summary,
      ];
    };
    const isWhole = async (started: TestNode): Promise<boolean> => {
      const [recalled, near] = (await answers(started)) as [unknown[], unknown[]];
      return recalled.length > 0 && near.length === 1;
    };
    await comesTrue(() => isWhole(first));
    const before = await answers(first);
    await first.stop();

    const place = await placeTestStore(kind, folder);
    const store = place.open();
    const counts: Record<string, number> = {};
    for (const { table, backup } of described) {
      if (backup === 'copy') continue;
      counts[table] = (await store.table(table).select()).length;
      await store.table(table).delete();
    }
    await store.close();
    for (const table of ['cards_cards', 'graph_edges', 'search_vectors']) expect(counts[table], table).to.be.above(0);

    const second = await start();
    await comesTrue(() => isWhole(second));
    expect(await answers(second)).to.deep.equal(before);
  });
});
