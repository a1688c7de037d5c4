import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import {
  Clock,
  EarlierEmbedders,
  Embedder,
  erasureFiles,
  FactFeed,
  Facts,
  factErased,
  Leases,
  NodeNotes,
  NodeSelf,
  NodeSettings,
  optional,
  type PluginSnapshot,
  Random,
  SuppressedFacts,
  Telemetry,
} from '../../kernel/plugin-api.ts';
import { storeChecks } from '../backup/backup-api.ts';
import { JobQueue } from '../jobs/jobs-api.ts';
import { requireWholeEmbedder } from './check-embedder.ts';
import { createIndexCheck } from './check-index.ts';
import { BACKLOG_PER_SECOND } from './embedding/backlog-rate.ts';
import type { EmbedFacts } from './embedding/embed-facts.ts';
import { openEmbedding } from './embedding/open-embedding.ts';
import type { IndexHost } from './host/index-host.ts';
import { LocalHost } from './host/local-host.ts';
import { ThreadHost } from './host/thread-host.ts';
import { drawHashSeed } from './index/text-hash.ts';
import { openReindex } from './reindex/open-reindex.ts';
import { reindexCommand } from './reindex/reindex-command.ts';
import { SearchIndex, TextRanker } from './search-api.ts';
import { searchContents, searchMigrations } from './search-migrations.ts';
import { SearchService } from './search-service.ts';
import { measureSearch } from './search-telemetry.ts';
import { shareIndex } from './shared/share-index.ts';
import { SnapshotFiles } from './snapshot/snapshot-files.ts';
import { SnapshotStore } from './snapshot/snapshot-store.ts';
import { type ThreadSetting, usesThreads } from './threads/thread-setting.ts';
import { openVectors } from './vectors/open-vectors.ts';
import { MEMORY_FORMAT, VectorStore } from './vectors/vector-store.ts';
import { createTextRanker } from './words/rank-texts.ts';

interface Settings {
  readonly snapshotFolder: string;
  readonly backlogPerSecond: number;
  readonly thread: ThreadSetting;
}

const SAVE_INTERVAL_MS = 30_000;
/** The lease for embedding facts and writing snapshots: only one of the processes on a store holds it. */
const LEASE = 'search';

const SNAPSHOT_LIMITS: readonly string[] = [
  'snapshots of the search index in folders of processes on other machines, until these processes start again',
];

export const searchPlugin = defineOwnPlugin({
  name: 'search',
  summary: 'Finds facts by their words, by their vectors and by what stands beside them, in an index in memory',
  requires: {
    jobs: optional(JobQueue),
    telemetry: Telemetry,
    feed: FactFeed,
    facts: Facts,
    clock: Clock,
    random: Random,
    self: NodeSelf,
    node: NodeSettings,
    leases: Leases,
    notes: NodeNotes,
    embedder: optional(Embedder),
    earlier: optional(EarlierEmbedders),
    suppressed: optional(SuppressedFacts),
  },
  provides: [SearchIndex, TextRanker],
  commands: [reindexCommand],
  config: objectSchema<Settings>({
    snapshotFolder: {
      type: 'string',
      minLength: 1,
      dataPath: 'search',
      description: 'folder for snapshots of the search index; whatever is lost there is made again from the store',
    },
    backlogPerSecond: BACKLOG_PER_SECOND,
    thread: {
      type: 'string',
      enum: ['auto', 'on', 'off'],
      default: 'auto',
      env: 'SVC_SEARCH_THREAD',
      description:
        'whether the search index and the embedding of facts get threads of their own; auto: from two processor cores on',
    },
  }),
  migrations: searchMigrations,
  contents: searchContents,
  inspect: ({ config, probeFolder }) => probeFolder(config.snapshotFolder),
  async setup(context) {
    const { config, use, tables, log, on, onStart, onStop, every, provide, dataFolder, files } = context;
    const { random, leases, embedder } = use;
    if (embedder !== undefined) requireWholeEmbedder(embedder);
    const side =
      embedder === undefined ? undefined : await openVectors({ ...use, embedder, tables, format: MEMORY_FORMAT });
    const store = {
      read: <T>(work: (snapshot: PluginSnapshot) => Promise<T>) => tables.read((_own, snapshot) => work(snapshot)),
    };
    const snapshots = new SnapshotStore(new SnapshotFiles(config.snapshotFolder, random, files), use.notes);
    const isThreaded = usesThreads(config.thread);
    // Drawn here, because an index opens in the background, where the order of random draws would vary.
    const seed = drawHashSeed(random);
    const createHost = (): IndexHost => (isThreaded ? new ThreadHost(seed) : new LocalHost(seed));
    const createSearch = (): SearchService =>
      new SearchService({ ...use, store, log, snapshots, createHost, vectors: side });
    const isShared = use.node.workerPlace !== undefined;
    const search = shareIndex(use.node.workerPlace, { ...use, log, dataFolder, createSearch });
    on(factErased, (erased) => {
      side?.store.forget();
      return VectorStore.erase(erased, tables);
    });
    on(erasureFiles, async () => {
      await snapshots.erased();
      return SNAPSHOT_LIMITS;
    });
    onStart(() => search.openAhead());
    provide(SearchIndex, search);
    const check = createIndexCheck({ ...use, index: search });
    on(storeChecks, () => check);
    const words = openReindex(context, { ...use, tables, log, snapshots, search });
    measureSearch(use.telemetry, { search, words, vectors: side });
    const ranker = createTextRanker(seed);
    provide(TextRanker, { rank: async (query, texts) => ranker.rank(query, texts) });

    let worker: EmbedFacts | undefined;
    const lease = leases.hold(`${LEASE} ${embedder?.id ?? ''}`, { onAcquired: () => worker?.wake() });
    // A process with a shared index writes snapshots even without the lease, because no other process has that index.
    const save = (): Promise<void> => search.saveAsItGrows();
    every(SAVE_INTERVAL_MS, () => (isShared ? save() : lease.whileHeld(save)));
    onStop(async () => {
      try {
        if (isShared || lease.held) await search.saveAtEnd();
      } finally {
        await search.close();
      }
    });

    if (embedder === undefined || side === undefined) return;
    worker = openEmbedding(context, {
      ...use,
      ...side,
      search,
      embedder,
      lease,
      isThreaded,
      names: use.self.names,
      backlogPerSecond: config.backlogPerSecond,
    });
  },
});
