import { othersGoFirst } from '../../../kernel/internal-api.ts';
import {
  type Embedder,
  factCommitted,
  type PluginContext,
  type Requires,
  type Telemetry,
} from '../../../kernel/plugin-api.ts';
import { rebuildVectors } from '../reindex/rebuild-vectors.ts';
import { rebuildableIndexes } from '../search-api.ts';
import type { SearchService } from '../search-service.ts';
import { countEmbedded } from '../search-telemetry.ts';
import { VECTORS_CHANGED } from '../vectors/generation-store.ts';
import { createDocumentCoder } from './document-coder.ts';
import { EmbedFacts, type EmbedParts } from './embed-facts.ts';

const LOOK_INTERVAL_MS = 1_000;
const LOOK_FOR_CHANGES_MS = 10_000;
const CLEAN_INTERVAL_MS = 10 * 60 * 1000;

type Context = Pick<PluginContext<Requires, unknown>, 'log' | 'on' | 'onSignal' | 'onStop' | 'every'>;

export interface EmbeddingNeeds extends Omit<EmbedParts, 'log' | 'coder' | 'attempted'> {
  readonly embedder: Embedder;
  readonly search: Pick<SearchService, 'generations' | 'lacksVectors' | 'vectorsAdded'>;
  readonly telemetry: Telemetry;
  /** Whether documents are embedded in a separate thread, if the embedder can run there. */
  readonly isThreaded: boolean;
}

/** Starts the part of the plugin that computes the vectors of facts, and reads vectors that any process has stored. */
export const openEmbedding = (context: Context, { search, telemetry, isThreaded, ...needs }: EmbeddingNeeds) => {
  const { log, on, onSignal, onStop, every } = context;
  const { embedder, generations, lease, clock } = needs;
  const coder = createDocumentCoder(embedder, isThreaded);
  const embedding = new EmbedFacts({
    ...needs,
    coder,
    log,
    attempted: countEmbedded(telemetry),
  });
  on(rebuildableIndexes, () => rebuildVectors({ generations, embedder, clock, search }));
  on(factCommitted, () => embedding.committed());
  const readVectors = (): void => {
    search.vectorsAdded().catch((error: unknown) => log.warn('new vectors could not be read', { error }));
  };
  onSignal(VECTORS_CHANGED, readVectors);
  every(LOOK_INTERVAL_MS, () => {
    // Commits of other processes raise no event here.
    embedding.wake();
    if (search.lacksVectors) readVectors();
  });
  // Signals can get lost.
  every(LOOK_FOR_CHANGES_MS, readVectors);
  every(CLEAN_INTERVAL_MS, async () => {
    while (lease.held && (await generations.dropUnused(search.generations))) await othersGoFirst();
  });
  onStop(async () => {
    await embedding.stop();
    await coder.close();
  });
  return embedding;
};
