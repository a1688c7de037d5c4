import { expect } from 'chai';
import fc from 'fast-check';
import { createPostgresStore } from '../../../../adapters/postgres/create-postgres-store.ts';
import { CORE_MIGRATIONS } from '../../../../adapters/sql/core-migrations.ts';
import { createServiceNames } from '../../../../kernel/identity/service-names.ts';
import type { PluginTables, SuppressedFacts } from '../../../../kernel/plugin-api.ts';
import { planMigrations } from '../../../../kernel/plugins/plan-migrations.ts';
import { createPluginTables } from '../../../../kernel/plugins/plugin-tables.ts';
import { narrowTransaction } from '../../../../kernel/store/narrow-transaction.ts';
import { createCodeSpace } from '../../../../plugins/search/codes/code-space.ts';
import { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import { KeyHasher } from '../../../../plugins/search/postgres/key-hasher.ts';
import { PostgresIndex } from '../../../../plugins/search/postgres/postgres-index.ts';
import { searchPostgresPlugin } from '../../../../plugins/search/postgres/search-postgres-plugin.ts';
import { postgresFormat } from '../../../../plugins/search/postgres/vector-rows.ts';
import { FactWriter } from '../../../../plugins/search/postgres/write-facts.ts';
import type { SearchIndex, SearchStep, SearchView } from '../../../../plugins/search/search-api.ts';
import type { FactStore, StoredFact } from '../../../../ports/ports.ts';
import { sampleFact, sampleId, stamp } from '../../../kit/fact-samples.ts';
import { RUNS } from '../../../kit/property-runs.ts';
import { startVectorPostgres, type VectorPostgres } from '../../../kit/vector-postgres.ts';
import { coverOf, expiryOf, factOf, queries, type Step, stories, views } from '../index/index-stories.ts';
import { TEST_SEED } from '../index/test-seed.ts';

const DIMENSIONS = 16;
const codes = createCodeSpace({ dimensions: DIMENSIONS });

const vectorOf = (n: number): Float32Array => {
  const angle = (n * 2.399963) % (2 * Math.PI);
  const vector = new Float32Array(DIMENSIONS);
  vector[0] = Math.cos(angle);
  vector[1 + (n % (DIMENSIONS - 1))] = Math.sin(angle);
  return vector;
};

const names = createServiceNames('svc');
const hasher = new KeyHasher(TEST_SEED);
const format = postgresFormat(hasher);

/** Two indexes of the same story, whose stamps in the feed are its own. */
interface Told {
  readonly memory: MemoryIndex;
  readonly postgres: PostgresIndex;
  readonly facts: readonly StoredFact[];
}

/** Tells stories to both indexes. Each has tenants and stamps of its own, because the tables stay. */
class Teller {
  readonly #store: FactStore;
  readonly #tables: PluginTables;
  #told = 0;

  constructor(store: FactStore) {
    this.#store = store;
    this.#tables = createPluginTables(store, 'search-postgres');
  }

  tenantOf(tenantId: string): string {
    return `${tenantId}-${this.#told}`;
  }

  stampOf(n: number) {
    return stamp(n + 1_000 * this.#told);
  }

  async tell(story: readonly Step[], isHidden: (n: number) => boolean): Promise<Told> {
    this.#told += 1;
    const memory = MemoryIndex.create(TEST_SEED);
    const facts = story.flatMap((step, n) => (step.kind === 'fact' ? [this.#factOf(step, n)] : []));
    const hidden = new Set(facts.filter((_, at) => isHidden(at)).map(({ tenantId, id }) => `${tenantId} ${id}`));
    const suppressed = {
      among: async (_snapshot, some) => some.filter(({ tenantId, id }) => hidden.has(`${tenantId} ${id}`)),
    } as Pick<SuppressedFacts, 'among'> as SuppressedFacts;
    const seeing = new FactWriter({ tables: this.#tables, hasher, format, names, suppressed: undefined });
    const writer = new FactWriter({ tables: this.#tables, hasher, format, names, suppressed });
    for (const [n, step] of story.entries()) this.#applyTo(memory, step, n);
    for (const fact of facts) if (hidden.has(`${fact.tenantId} ${fact.id}`)) memory.withhold(fact, true);
    for (const tenantId of ['default', 'another'].map((one) => this.tenantOf(one))) {
      await this.#store.write(tenantId, async (wide) => {
        const transaction = narrowTransaction(wide);
        for (const [n, step] of story.entries()) {
          const told = this.#recordOf(step, n);
          if (told.fact.tenantId !== tenantId) continue;
          if (step.kind === 'fact') await wide.insert([told.fact]);
          if (told.cover !== undefined) await wide.cover([told.cover]);
          if (told.expiry !== undefined) {
            const { factId, expiresMs, hlc, since } = told.expiry;
            await wide.setExpiry(factId, expiresMs, hlc, since);
          }
          await (n % 2 === 0 ? seeing : writer).add([told.fact], transaction);
        }
        await writer.judge(
          facts.filter((fact) => fact.tenantId === tenantId),
          transaction,
        );
      });
    }
    await this.#addVectors(memory, facts);
    const served = { target: 'scripted', before: undefined, searched: ['scripted'] };
    const vectors = { embedders: async () => ['scripted'], servedBy: async () => served, lacksVectors: false };
    return {
      memory,
      facts,
      postgres: new PostgresIndex({ tables: this.#tables, hasher, vectors, ready: async () => null }),
    };
  }

  #factOf(step: Extract<Step, { kind: 'fact' }>, n: number): StoredFact {
    const fact = factOf(step, n);
    return { ...fact, tenantId: this.tenantOf(fact.tenantId), feed: this.stampOf(n) };
  }

  #coverOf(step: Extract<Step, { kind: 'cover' }>, n: number) {
    return { ...coverOf(step, n), tenantId: this.tenantOf('default'), since: this.stampOf(n) };
  }

  #expiryOf(step: Extract<Step, { kind: 'expiry' }>, n: number) {
    return { ...expiryOf(step), tenantId: this.tenantOf(step.tenantId), since: this.stampOf(n) };
  }

  #applyTo(memory: MemoryIndex, step: Step, n: number): void {
    if (step.kind === 'fact') memory.add(this.#factOf(step, n));
    else if (step.kind === 'cover') memory.cover(this.#coverOf(step, n));
    else memory.expire(this.#expiryOf(step, n));
  }

  /** Returns the stored fact that makes a step, with the rows that the kernel adds. */
  #recordOf(step: Step, n: number) {
    if (step.kind === 'fact') return { fact: this.#factOf(step, n) };
    const system = (tenantId: string, members: Partial<StoredFact>) =>
      sampleFact(n, { system: true, tenantId, feed: this.stampOf(n), ...members });
    if (step.kind === 'cover') {
      const cover = this.#coverOf(step, n);
      return { fact: system(cover.tenantId, {}), cover };
    }
    const expiry = this.#expiryOf(step, n);
    return { fact: system(expiry.tenantId, { relationKey: names.meta('ttl'), entity: expiry.factId }), expiry };
  }

  async #addVectors(memory: MemoryIndex, facts: readonly StoredFact[]): Promise<void> {
    const layer = memory.createVectors(codes);
    const beside = format.beside as NonNullable<typeof format.beside>;
    const rows = facts.map((fact, at) => {
      const vector = codes.quantise(vectorOf(at));
      layer.set(fact, vector.code, vector.scale);
      const named = { tenant_id: fact.tenantId, embedder: 'scripted' };
      return {
        vector: { ...named, fact_id: fact.id, ...format.columnsOf(vector, fact) },
        signs: { ...named, ...beside.columnsOf(vector, fact) },
      };
    });
    memory.serveVectors({ embedder: 'scripted', layer });
    if (rows.length === 0) return;
    await this.#tables.write('vectors', async (own) => {
      await own.insertRows(
        format.vectors,
        rows.map(({ vector }) => vector),
      );
      await own.insertRows(
        beside.table,
        rows.map(({ signs }) => signs),
      );
    });
  }
}

const contests = fc.constantFrom<SearchView['contested']>(
  undefined,
  undefined,
  [{ scope: 'company', gardenId: null, entityKey: 'user:alice', relationKey: 'memory:role' }],
  [{ scope: 'team', gardenId: 'garden-a', entityKey: 'user:bob', relationKey: 'memory:note' }],
);

const narrowings = fc.constantFrom<Partial<SearchView>>({}, {}, { excludedRelationKeys: ['memory:note'] });

const planOf = (query: string, limit: number): SearchStep[] => {
  const [near, of] = [
    { vector: vectorOf(1), embedder: 'scripted' },
    { ids: [sampleId(3), sampleId(4)], foundBy: [0, 1] },
  ];
  return [
    { find: 'words', query, limit },
    { find: 'near', ...near, floor: -1, limit },
    { find: 'newest', limit },
    { find: 'newest', limit, entityKey: 'user:bob' },
    { find: 'beside', seeds: [3, 4, 8, 9].map((n) => ({ id: sampleId(n), score: 1 + n / 64 })), limit },
    { find: 'share', query, of },
    { find: 'spread', ...near, of },
    { find: 'feedback', ...near, from: { foundBy: [0], first: 3 }, of },
  ];
};

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);

/** Puts the hits of answers without an order in the order of their identifiers. */
const answersOf = async (index: Pick<SearchIndex, 'ask'>, plan: readonly SearchStep[], view: SearchView) =>
  (await index.ask(plan, view)).map(({ hits, before, spread }, at) => {
    const isOrdered = at < 6;
    const rows = hits.map((hit, place) => ({ ...hit, before: before?.[place] }));
    const [mean, deviation] = [spread?.mean, spread?.deviation].map((one) => one?.toFixed(9));
    return { rows: isOrdered ? rows : rows.sort(byId), count: spread?.count, mean, deviation };
  });

describe('the search index in PostgreSQL, compared with the one in memory', function () {
  this.timeout(120_000);
  let database: VectorPostgres;
  let store: FactStore;
  let teller: Teller;

  before(async () => {
    database = await startVectorPostgres();
    store = createPostgresStore({ url: database.url });
    await store.migrate(planMigrations(CORE_MIGRATIONS, [searchPostgresPlugin], []));
    teller = new Teller(store);
  });
  after(async () => {
    await store?.close();
    await database?.empty();
    await database?.stop();
  });

  it('gives equal answers to every step of a plan, to the last bit of a score', () =>
    fc.assert(
      fc.asyncProperty(
        stories,
        fc.func(fc.boolean()),
        queries,
        fc.tuple(views, contests, narrowings).map(([view, contested, more]) => ({ ...view, contested, ...more })),
        fc.option(fc.nat(30), { nil: undefined }),
        fc.constantFrom(2, 100),
        async (story, isHidden, query, asked, at, limit) => {
          const { memory, postgres } = await teller.tell(story, (n) => isHidden(n) && isHidden(n + 50));
          const asOf = at === undefined ? undefined : teller.stampOf(at);
          const view = { ...asked, tenantId: teller.tenantOf(asked.tenantId), asOf };
          const plan = planOf(query, limit);
          expect(await answersOf(postgres, plan, view)).to.deep.equal(await answersOf(memory, plan, view));
        },
      ),
      { numRuns: Math.ceil(RUNS / 10) },
    ));
});
