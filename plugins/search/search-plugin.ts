import {
  Clock,
  definePlugin,
  Embedder,
  erasureFiles,
  FactFeed,
  factCommitted,
  factErased,
  KERNEL_API,
  Leases,
  NodeNotes,
  NodeSelf,
  optional,
  type PluginSnapshot,
  Random,
  schema,
} from '../../kernel/plugin-api.ts';
import { SuppressedFacts } from '../tombstones/tombstones-api.ts';
import { createCodeSpace } from './codes/code-space.ts';
import { EmbedFacts } from './embedding/embed-facts.ts';
import { drawHashSeed } from './index/text-hash.ts';
import { SearchIndex, TextRanker } from './search-api.ts';
import { searchMigrations } from './search-migrations.ts';
import { SearchService } from './search-service.ts';
import { KeptSnapshots } from './snapshot/kept-snapshots.ts';
import { SnapshotFiles } from './snapshot/snapshot-files.ts';
import { VECTORS_ADDED, VectorStore } from './vectors/vector-store.ts';
import { createTextRanker } from './words/rank-texts.ts';

interface Settings {
  readonly snapshotFolder: string;
}

const SAVE_INTERVAL_MS = 10 * 60 * 1000;
const LOOK_INTERVAL_MS = 1_000;
const CLEAN_INTERVAL_MS = 10 * 60 * 1000;
/** One process of all that share a store embeds, and writes snapshots. */
const LEASE = 'search';

const SNAPSHOT_LIMITS: readonly string[] = [
  'snapshots of the search index in folders of processes on other machines, until these processes start again',
];

export const searchPlugin = definePlugin({
  name: 'search',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'Finds facts by their words, by their vectors and by what stands beside them, in an index in memory',
  requires: {
    feed: FactFeed,
    clock: Clock,
    random: Random,
    self: NodeSelf,
    leases: Leases,
    notes: NodeNotes,
    embedder: optional(Embedder),
    suppressed: optional(SuppressedFacts),
  },
  provides: [SearchIndex, TextRanker],
  config: schema<Settings>({
    type: 'object',
    additionalProperties: false,
    properties: {
      snapshotFolder: {
        type: 'string',
        minLength: 1,
        dataPath: 'search',
        description: 'folder for snapshots of the search index; whatever is lost there is made again from the store',
      },
    },
  }),
  migrations: searchMigrations,
  inspect: ({ config, probeFolder }) => probeFolder(config.snapshotFolder),
  async setup({ config, use, tables, log, on, onSignal, onStop, every, provide }) {
    const { clock, random, leases, embedder } = use;
    const side = embedder === undefined ? undefined : await vectorSide(embedder, new VectorStore(tables, embedder.id));
    const store = {
      read: <T>(work: (snapshot: PluginSnapshot) => Promise<T>) => tables.read((_own, snapshot) => work(snapshot)),
    };
    const snapshots = new KeptSnapshots(new SnapshotFiles(config.snapshotFolder, random), use.notes);
    const search = new SearchService({ ...use, store, log, snapshots, vectors: side });
    on(factErased, (erased) => VectorStore.erase(erased, tables));
    on(erasureFiles, async () => {
      await snapshots.erased();
      return SNAPSHOT_LIMITS;
    });
    provide(SearchIndex, search);
    const ranker = createTextRanker(drawHashSeed(random));
    provide(TextRanker, { rank: async (query, texts) => ranker.rank(query, texts) });

    let worker: EmbedFacts | undefined;
    const lease = leases.hold(`${LEASE} ${embedder?.id ?? ''}`, { onAcquired: () => worker?.wake() });
    every(SAVE_INTERVAL_MS, () => lease.whileHeld(() => search.save()));
    onStop(async () => {
      if (lease.held) await search.save();
      await search.close();
    });

    if (embedder === undefined || side === undefined) return;
    const embedding = new EmbedFacts({
      feed: use.feed,
      embedder,
      lease,
      clock,
      log,
      store: side.store,
      quantise: side.codes.quantise,
    });
    worker = embedding;
    on(factCommitted, () => embedding.committed());
    const readVectors = (): void => {
      search.vectorsAdded().catch((error: unknown) => log.warn('new vectors could not be read', { error }));
    };
    onSignal(VECTORS_ADDED, readVectors);
    every(LOOK_INTERVAL_MS, () => {
      // What other processes commit raises no event here.
      embedding.wake();
      if (search.lacksVectors) readVectors();
    });
    every(CLEAN_INTERVAL_MS, async () => {
      while (lease.held && (await side.store.dropUnused(clock.nowMs()))) await new Promise(setImmediate);
    });
    onStop(() => embedding.stop());
  },
});

const vectorSide = async (embedder: Embedder, store: VectorStore) => ({
  embedder: embedder.id,
  store,
  codes: createCodeSpace({ dimensions: embedder.dimensions }),
  goal: await store.missingUpTo(),
});
