import { expect } from 'chai';
import { createPostgresStore } from '../../../../adapters/postgres/create-postgres-store.ts';
import { CORE_MIGRATIONS } from '../../../../adapters/sql/core-migrations.ts';
import { planMigrations } from '../../../../kernel/plugins/plan-migrations.ts';
import { createPluginTables } from '../../../../kernel/plugins/plugin-tables.ts';
import { createCodeSpace } from '../../../../plugins/search/codes/code-space.ts';
import { KeyHasher } from '../../../../plugins/search/postgres/key-hasher.ts';
import { PostgresIndex } from '../../../../plugins/search/postgres/postgres-index.ts';
import { FACTS_TABLE, PARTS_TABLE } from '../../../../plugins/search/postgres/postgres-tables.ts';
import { searchPostgresPlugin } from '../../../../plugins/search/postgres/search-postgres-plugin.ts';
import { postgresFormat } from '../../../../plugins/search/postgres/vector-rows.ts';
import type { SearchView } from '../../../../plugins/search/search-api.ts';
import type { FactStore } from '../../../../ports/ports.ts';
import { askSpread, findNear } from '../../../contract/search-index/ask-index.ts';
import { sampleFact, sampleId, stamp } from '../../../kit/fact-samples.ts';
import { startVectorPostgres, type VectorPostgres } from '../../../kit/vector-postgres.ts';
import { TEST_SEED } from '../index/test-seed.ts';

/** More than twice as many as a search compares exactly. */
const FACTS = 4_800;
const DIMENSIONS = 16;
const LIMIT = 5;
const codes = createCodeSpace({ dimensions: DIMENSIONS });
const hasher = new KeyHasher(TEST_SEED);

/** The first facts are nearest to the vector 0, then come the last ones, and then all others. */
const vectorOf = (n: number): Float32Array => {
  const negative = n < LIMIT ? 0 : n >= FACTS - LIMIT ? 2 : 8;
  return new Float32Array(DIMENSIONS).fill(1 / 4).map((one, at) => (at < negative ? -one : one));
};

describe('a search for similar vectors among many facts in PostgreSQL', function () {
  this.timeout(120_000);
  let database: VectorPostgres;
  let store: FactStore;
  let index: PostgresIndex;
  const tables = () => createPluginTables(store, 'search-postgres');
  const view: SearchView = {
    tenantId: 'default',
    scopes: ['company'],
    gardens: 'all',
    nowMs: 1,
    minConfidence: 0,
  };
  const nearest = async () => (await findNear(index, vectorOf(0), -1, view, LIMIT)).map(({ id }) => id);
  /** Returns the facts before a number, newest first. */
  const newestBefore = (n: number) => Array.from({ length: LIMIT }, (_, at) => sampleId(n - 1 - at));
  const end = (from: number, to: number) =>
    tables().write('default', (own) =>
      own(FACTS_TABLE)
        .whereBetween('feed_wall', [stamp(from).wallMs, stamp(to).wallMs])
        .update({ ended_wall: 1, ended_ctr: 0 }),
    );

  before(async () => {
    database = await startVectorPostgres();
    store = createPostgresStore({ url: database.url });
    await store.migrate(planMigrations(CORE_MIGRATIONS, [searchPostgresPlugin], []));
    const format = postgresFormat(hasher);
    await tables().write('default', async (own) => {
      await own.insertRows(PARTS_TABLE, [
        { tenant_id: 'default', scope: 'company', place: '', documents: FACTS, length: FACTS, languages: 0 },
      ]);
      const [part] = await own.select(PARTS_TABLE, { tenant_id: 'default' });
      const facts = Array.from({ length: FACTS }, (_, n) => ({ ...sampleFact(n), id: sampleId(n), feed: stamp(n) }));
      await own.insertRows(
        FACTS_TABLE,
        facts.map(({ id, feed }) => ({
          ...{ tenant_id: 'default', fact_id: id, part: part?.['part'] ?? 0, feed_wall: feed.wallMs },
          ...{ feed_ctr: feed.counter, hlc_wall: feed.wallMs, hlc_ctr: 0, begins_ms: 0, confidence: 1, is_late: 0 },
          ...{
            expires_ms: 10,
            limit_ms: 10,
            entity: '1',
            relation: '1',
            speaker: '0',
            length: 1,
            source: '1',
            asserter: '0',
            speaks_of_ms: 0,
          },
        })),
      );
      const vectors = facts.map((fact, n) => ({ fact, vector: codes.quantise(vectorOf(n)) }));
      const named = { tenant_id: 'default', embedder: 'scripted' };
      await own.insertRows(
        format.vectors,
        vectors.map(({ fact, vector }) => ({ ...named, fact_id: fact.id, ...format.columnsOf(vector, fact) })),
      );
      await own.insertRows(
        format.beside?.table ?? '',
        vectors.map(({ fact, vector }) => ({ ...named, ...format.beside?.columnsOf(vector, fact) })),
      );
    });
    const served = { target: 'scripted', before: undefined, searched: ['scripted'] };
    const vectors = { embedders: async () => ['scripted'], servedBy: async () => served, lacksVectors: false };
    index = new PostgresIndex({ tables: tables(), hasher, vectors, ready: async () => null });
  });
  after(async () => {
    await store?.close();
    await database?.empty();
    await database?.stop();
  });

  it('estimates the distribution of similarities from a sample of the view', async () => {
    const { spread } = await askSpread(index, vectorOf(0), [], view);
    expect(spread?.count).to.equal(512);
    expect(spread?.mean).to.be.closeTo(0, 0.05);
  });

  it('finds the nearest facts, and the next ones when those have ended', async () => {
    expect(await nearest()).to.deep.equal(newestBefore(LIMIT));
    await end(0, LIMIT - 1);
    expect(await nearest()).to.deep.equal(newestBefore(FACTS));
  });

  it('finds the nearest remaining facts when most facts have ended', async () => {
    await end(0, FACTS - 2 * LIMIT - 1);
    await end(FACTS - LIMIT, FACTS);
    expect(await nearest()).to.deep.equal(newestBefore(FACTS - LIMIT));
  });
});
