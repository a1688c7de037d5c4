import pg from 'pg';
import { createMeaningEmbedder } from '../../adapters/embedder/meaning-embedder.ts';
import { createPostgresStore } from '../../adapters/postgres/create-postgres-store.ts';
import { createSystemRandom } from '../../adapters/random/system-random.ts';
import { createPluginTables } from '../../kernel/plugins/plugin-tables.ts';
import { DEPTH_OF_BOTH } from '../../plugins/recall/search-depth.ts';
import { IndexState } from '../../plugins/search/postgres/index-state.ts';
import { KeyHasher } from '../../plugins/search/postgres/key-hasher.ts';
import { PostgresIndex } from '../../plugins/search/postgres/postgres-index.ts';
import { EMBEDDERS_TABLE } from '../../plugins/search/postgres/postgres-tables.ts';
import { stagesOf } from './search-stages.ts';

/** A scan of all vectors by pgvector alone, which returns as many rows as the vector stage. */
const SCAN = `SELECT fact_id FROM search_postgres_vectors WHERE embedder = $1
  ORDER BY code <=> $2::halfvec LIMIT ${DEPTH_OF_BOTH}`;

/** Opens the stages of recall in this process, on the tables of a stopped node. */
export const openPostgresStages = async (database: string, dimensions: number) => {
  const store = createPostgresStore({ url: database });
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const tables = createPluginTables(store, 'search-postgres');
  const { seed } = await IndexState.open(tables, createSystemRandom());
  const embedder = createMeaningEmbedder(dimensions === 256 ? 256 : 768);
  const { rows } = await client.query(`SELECT embedder FROM ${EMBEDDERS_TABLE} WHERE embedder LIKE $1`, [
    `%${embedder.id}%`,
  ]);
  const target = String((rows as readonly { readonly embedder: string }[]).at(-1)?.embedder);
  const served = { target, before: undefined, searched: [target] };
  const vectors = { embedders: async () => [target], servedBy: async () => served, lacksVectors: false };
  const index = new PostgresIndex({ tables, hasher: new KeyHasher(seed), vectors, ready: async () => null });
  return {
    ...stagesOf(index, embedder),
    /** Runs the scan of pgvector alone. */
    scan: async (vector: Float32Array): Promise<void> =>
      void (await client.query(SCAN, [target, `[${vector.join()}]`])),
    close: async (): Promise<void> => {
      await client.end();
      await store.close();
    },
  };
};
