import { defineOwnPlugin, objectSchema } from '../../../kernel/internal-api.ts';
import {
  Clock,
  EarlierEmbedders,
  Embedder,
  FactFeed,
  Facts,
  factAppended,
  factErased,
  factRestored,
  Leases,
  NodeSelf,
  optional,
  Random,
  ServiceError,
  SuppressedFacts,
  Telemetry,
} from '../../../kernel/plugin-api.ts';
import { storeChecks } from '../../backup/backup-api.ts';
import { JobQueue } from '../../jobs/jobs-api.ts';
import { createIndexCheck } from '../check-index.ts';
import { BACKLOG_PER_SECOND } from '../embedding/backlog-rate.ts';
import type { EmbedFacts } from '../embedding/embed-facts.ts';
import { openEmbedding } from '../embedding/open-embedding.ts';
import { openReindexJob } from '../reindex/open-reindex.ts';
import { reindexCommand } from '../reindex/reindex-command.ts';
import { rebuildableIndexes, SearchIndex, TextRanker } from '../search-api.ts';
import { openVectors } from '../vectors/open-vectors.ts';
import { createTextRanker } from '../words/rank-texts.ts';
import { IndexNews } from './follow-news.ts';
import { IndexState } from './index-state.ts';
import { KeyHasher } from './key-hasher.ts';
import { PostgresIndex } from './postgres-index.ts';
import { postgresMigrations } from './postgres-migrations.ts';
import { STATE_TABLE } from './postgres-tables.ts';
import { requirePgvector } from './require-pgvector.ts';
import { StoredGenerations } from './served-generations.ts';
import { postgresFormat } from './vector-rows.ts';
import { FactWriter } from './write-facts.ts';

interface Settings {
  readonly backlogPerSecond: number;
}

const SAVE_INTERVAL_MS = 10_000;
/** The lease for embedding facts: only one of the processes on a store holds it. */
const LEASE = 'search-postgres';

const wordsInTheClear = (): ServiceError =>
  new ServiceError('unavailable', 'search-postgres keeps words of facts in the clear, and the store is sealed', {
    hint: 'switch search on in place of search-postgres, or run the node without a key of the operator on another store',
  });

export const searchPostgresPlugin = defineOwnPlugin({
  name: 'search-postgres',
  summary:
    'Finds facts as search does, in tables of a PostgreSQL store with pgvector instead of the memory of the node',
  requires: {
    jobs: optional(JobQueue),
    telemetry: Telemetry,
    feed: FactFeed,
    facts: Facts,
    clock: Clock,
    random: Random,
    self: NodeSelf,
    leases: Leases,
    embedder: optional(Embedder),
    earlier: optional(EarlierEmbedders),
    suppressed: optional(SuppressedFacts),
  },
  provides: [SearchIndex, TextRanker],
  commands: [reindexCommand],
  config: objectSchema<Settings>({
    backlogPerSecond: BACKLOG_PER_SECOND,
  }),
  migrations: postgresMigrations,
  async setup(context) {
    if (context.files.isSealing) throw wordsInTheClear();
    const { config, use, tables, log, on, onStart, onStop, every, provide } = context;
    const { random, leases, embedder, suppressed, self } = use;
    await requirePgvector(() => tables(STATE_TABLE));
    const state = await IndexState.open(tables, random);
    const hasher = new KeyHasher(state.seed);
    const format = postgresFormat(hasher);
    const writer = new FactWriter({
      tables,
      hasher,
      format,
      names: self.names,
      suppressed: suppressed?.isSuppressing === true ? suppressed : undefined,
    });
    on(
      factAppended,
      async ({ facts, transaction }) => {
        await writer.add(
          facts.map(({ fact }) => fact),
          transaction,
        );
      },
      // Runs last, because other plugins decide which facts a fact ends.
      { order: 'last' },
    );
    on(factRestored, ({ facts, transaction }) => writer.add(facts, transaction));
    on(factErased, async ({ tenantId, facts, transaction }) => ({
      vectors: await writer.facts.remove(tenantId, facts, transaction),
    }));
    const news = new IndexNews({ ...use, tables, state, writer, log });
    onStart(() => void news.build().catch((error: unknown) => log.warn(NOT_BUILT, { error })));
    every(SAVE_INTERVAL_MS, () => news.save());
    onStop(async () => {
      await news.save();
      await news.stop();
    });
    on(rebuildableIndexes, () => news);
    const side = embedder === undefined ? undefined : await openVectors({ ...use, embedder, tables, format });
    const vectors = side === undefined ? undefined : new StoredGenerations(side);
    const index = new PostgresIndex({ tables, hasher, vectors, ready: () => news.ready() });
    provide(SearchIndex, index);
    const check = createIndexCheck({ ...use, index });
    on(storeChecks, () => check);
    openReindexJob(context, use);
    const ranker = createTextRanker(state.seed);
    provide(TextRanker, { rank: async (query, texts) => ranker.rank(query, texts) });
    if (embedder === undefined || side === undefined || vectors === undefined) return;
    let worker: EmbedFacts | undefined;
    const lease = leases.hold(`${LEASE} ${embedder.id}`, { onAcquired: () => worker?.wake() });
    worker = openEmbedding(context, {
      ...use,
      ...side,
      search: vectors,
      embedder,
      lease,
      isThreaded: true,
      names: self.names,
      backlogPerSecond: config.backlogPerSecond,
    });
  },
});

const NOT_BUILT = 'facts could not get their rows of the search index; the next search tries again';
