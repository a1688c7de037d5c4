import { above, all, equals, type FactReader, type Hlc } from '../../kernel/plugin-api.ts';
import type { SearchIndex } from '../search/search-api.ts';
import { type Degradation, defineDegradation } from './recall-api.ts';

export const EMBEDDER_UNAVAILABLE = defineDegradation('embedder_unavailable', {
  summary: 'the query could not be embedded, or not in time, so that nothing was found by its meaning',
});
export const INDEX_REBUILDING = defineDegradation('index_rebuilding', {
  summary: 'the index lacks facts that the caller may see, or vectors are being made anew',
});

/** The results of the services that a recall depends on. */
export interface RecallReach {
  /** Null if the embedder failed or was late, undefined if it was not needed. */
  readonly vector: Float32Array | null | undefined;
  /** The feed position up to which the index is current; null if it is up to date. */
  readonly behind: Hlc | null;
}

/** Returns the reasons why an answer may be incomplete, so that no caller takes it for a complete one. */
export const degradationOf = async (
  { vector, behind }: RecallReach,
  reader: FactReader,
  index: Pick<SearchIndex, 'isMakingVectors'>,
): Promise<readonly Degradation[]> => {
  const degraded: Degradation[] = [];
  if (vector === null) degraded.push(EMBEDDER_UNAVAILABLE);
  const isBehind = behind !== null && (await missesFacts(behind, reader));
  // The operator has changed the embedder, which reveals nothing about any facts.
  if (isBehind || (vector != null && (await index.isMakingVectors()))) degraded.push(INDEX_REBUILDING);
  return degraded;
};

/** True if the index lacks facts that the caller sees. Missing hidden facts are not reported. */
const missesFacts = async (behind: Hlc, reader: FactReader): Promise<boolean> => {
  const missing = all(above('feed', behind), equals('system', false));
  return (await reader.find(missing, { view: 'live', order: 'feed', limit: 1 })).length > 0;
};
