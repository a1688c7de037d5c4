import { above, all, equals, type FactReader, type Hlc } from '../../kernel/plugin-api.ts';
import type { SearchIndex } from '../search/search-api.ts';
import { type Degradation, defineDegradation } from './recall-api.ts';

export const EMBEDDER_UNAVAILABLE = defineDegradation('embedder_unavailable', {
  summary: 'the query could not be embedded, or not in time, so that nothing was found by its meaning',
});
export const INDEX_REBUILDING = defineDegradation('index_rebuilding', {
  summary: 'the index lacks facts that the caller may see, or vectors are being made anew',
});

/** How far each of those came that a recall depends on. */
export interface RecallReach {
  /** Null when the embedder failed or was late, undefined when it had nothing to do. */
  readonly vector: Float32Array | null | undefined;
  /** Place in the feed up to which the index has facts; null when it has all. */
  readonly behind: Hlc | null;
}

/** Returns the parts that could not be asked, so that nobody takes a poorer answer for a whole one. */
export const degradationOf = async (
  { vector, behind }: RecallReach,
  reader: FactReader,
  index: Pick<SearchIndex, 'isMakingVectors'>,
): Promise<readonly Degradation[]> => {
  const degraded: Degradation[] = [];
  if (vector === null) degraded.push(EMBEDDER_UNAVAILABLE);
  const isBehind = behind !== null && (await missesFacts(behind, reader));
  // The operator has changed the embedder: that says nothing about the facts of anybody.
  if (isBehind || (vector != null && (await index.isMakingVectors()))) degraded.push(INDEX_REBUILDING);
  return degraded;
};

/** Whether the index lacks facts that the caller sees; others are none of the caller's business. */
const missesFacts = async (behind: Hlc, reader: FactReader): Promise<boolean> => {
  const missing = all(above('feed', behind), equals('system', false));
  return (await reader.find(missing, { view: 'live', order: 'feed', limit: 1 })).length > 0;
};
