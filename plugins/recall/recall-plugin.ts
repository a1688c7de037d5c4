import {
  Clock,
  createFactJson,
  createReadSession,
  definePlugin,
  Embedder,
  Facts,
  factCommitted,
  GardenAccess,
  KERNEL_API,
  Leases,
  NodeSelf,
  optional,
  Random,
  type Snapshot,
  schema,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { FactChain } from '../fact-chain/fact-chain-api.ts';
import { IntactFacts, SessionReads } from '../facts/facts-api.ts';
import { AccessCounts } from './access-counts.ts';
import { createAnswerRecall } from './answer-recall.ts';
import { createCodeSpace } from './codes/code-space.ts';
import { EmbedFacts } from './embed-facts.ts';
import { estimateTokens } from './fact-line.ts';
import { createTextRanker } from './index/rank-texts.ts';
import { drawHashSeed } from './index/text-hash.ts';
import { SearchIndex, TextRanker, TokenCounter } from './recall-api.ts';
import { recallMigrations } from './recall-migrations.ts';
import { getRecallRoute, postRecallRoute } from './recall-routes.ts';
import { RecallTrail } from './recall-trail.ts';
import { SearchService } from './search-service.ts';
import { VECTORS_ADDED, VectorStore } from './vector-store.ts';

interface Settings {
  readonly salienceWeight: number;
  readonly snapshotFolder: string;
}

/** Use is a matter of days: what was just asked must not decide what comes next. */
const FLUSH_INTERVAL_MS = 10 * 60 * 1000;
const SAVE_INTERVAL_MS = 10 * 60 * 1000;
const LOOK_INTERVAL_MS = 1_000;
const CLEAN_INTERVAL_MS = 10 * 60 * 1000;
/** One process of all that share a store embeds, and writes snapshots. */
const LEASE = 'recall';

export const recallPlugin = definePlugin({
  name: 'recall',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary:
    'Recalls the facts that matter for a question within a token budget: by words, by vectors and by what stands beside them',
  requires: {
    facts: Facts,
    clock: Clock,
    random: Random,
    self: NodeSelf,
    leases: Leases,
    embedder: optional(Embedder),
    audit: optional(AuditLog),
    sessionReads: optional(SessionReads),
    intact: optional(IntactFacts),
    chain: optional(FactChain),
    gardens: optional(GardenAccess),
  },
  provides: [SearchIndex, TextRanker, TokenCounter],
  config: schema<Settings>({
    type: 'object',
    additionalProperties: false,
    properties: {
      salienceWeight: {
        type: 'number',
        minimum: 0,
        maximum: 0.5,
        default: 0.1,
        env: 'SVC_SALIENCE_WEIGHT',
        description: 'how far recency, confidence and use can each move the score of a fact, up and down',
      },
      snapshotFolder: {
        type: 'string',
        minLength: 1,
        default: 'data/recall',
        description: 'folder for snapshots of the search index; whatever is lost there is made again from the store',
      },
    },
  }),
  migrations: recallMigrations,
  async setup({ config, use, tables, hooks, log, on, onSignal, onStop, every, provide, route }) {
    const { facts, clock, random, self, leases, embedder, audit, sessionReads, intact, chain, gardens } = use;
    const side = embedder === undefined ? undefined : await vectorSide(embedder, new VectorStore(tables, embedder.id));
    const store = {
      read: <T>(work: (snapshot: Snapshot) => Promise<T>) => tables.read((_own, snapshot) => work(snapshot)),
    };
    const search = new SearchService({ ...use, store, log, folder: config.snapshotFolder, vectors: side });
    const access = new AccessCounts(tables);
    const pipeline = {
      index: search,
      embedder,
      hooks,
      log,
      facts,
      clock,
      names: self.names,
      access,
      gardens,
      salienceWeight: config.salienceWeight,
    };
    const answer = createAnswerRecall({
      pipeline,
      factJson: createFactJson(self),
      random,
      names: self.names,
      trail: new RecallTrail(audit),
      readSession: createReadSession(self.names),
      sessionReads,
      intact,
      chain,
    });
    provide(SearchIndex, search);
    provide(TextRanker, createTextRanker(drawHashSeed(random)));
    provide(TokenCounter, { count: estimateTokens });
    route(getRecallRoute(answer, self.names));
    route(postRecallRoute(answer, self.names));

    on(factCommitted, ({ facts: committed }) => search.committed(committed.map(({ fact }) => fact)));
    every(FLUSH_INTERVAL_MS, () => access.flush());
    let worker: EmbedFacts | undefined;
    const lease = leases.hold(`${LEASE} ${embedder?.id ?? ''}`, { onAcquired: () => worker?.wake() });
    every(SAVE_INTERVAL_MS, () => (lease.held ? search.save() : undefined));
    onStop(async () => {
      await access.flush();
      if (lease.held) await search.save();
      await search.close();
    });

    if (embedder === undefined || side === undefined) return;
    const embedding = new EmbedFacts({ embedder, lease, clock, log, store: side.store, quantise: side.codes.quantise });
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
