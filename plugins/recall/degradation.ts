import { above, all, equals, type FactReader, type Hlc } from '../../kernel/plugin-api.ts';
import type { SearchIndex } from '../search/search-api.ts';
import type { EntitySummary } from './recall-api.ts';

/** What could not be asked, so that a poorer answer is not taken for a whole one (wire contract 6.1). */
export type Degradation = 'embedder_unavailable' | 'index_rebuilding' | 'card_refresh_timeout';

/** How far each of those came that a recall depends on. */
export interface Asked {
  /** Null when the embedder failed, undefined when it had nothing to do. */
  readonly vector: Float32Array | null | undefined;
  /** Place in the feed up to which the index has facts; null when it has all. */
  readonly behind: Hlc | null;
  readonly summary: Pick<EntitySummary, 'timedOut'>;
}

export const degradationOf = async (
  { vector, behind, summary }: Asked,
  reader: FactReader,
  index: Pick<SearchIndex, 'isMakingVectors'>,
): Promise<readonly Degradation[]> => {
  const degraded: Degradation[] = [];
  if (vector === null) degraded.push('embedder_unavailable');
  const isBehind = behind !== null && (await missesFacts(behind, reader));
  // Vectors are made anew when the operator has changed the embedder: that says nothing about anybody's facts.
  if (isBehind || (vector != null && (await index.isMakingVectors()))) degraded.push('index_rebuilding');
  if (summary.timedOut) degraded.push('card_refresh_timeout');
  return degraded;
};

/** Whether the index lacks facts that the caller sees; others are none of the caller's business. */
const missesFacts = async (behind: Hlc, reader: FactReader): Promise<boolean> => {
  const missing = all(above('feed', behind), equals('system', false));
  return (await reader.find(missing, { view: 'live', order: 'feed', limit: 1 })).length > 0;
};
