import { compareHlc, FEED_START, type Hlc } from '../../kernel/plugin-api.ts';
import type { SearchIndex } from '../search/search-api.ts';

/** Answers in place of an index that is not there. Its answers are reported as incomplete. */
export const EMPTY_INDEX: SearchIndex = {
  ready: async () => FEED_START,
  embedders: async () => [],
  isMakingVectors: async () => false,
  ask: async (plan) => plan.map(() => ({ hits: [] })),
};

/** True if the index with this result of `ready` has no facts yet. */
export const isEmpty = (behind: Hlc | null): boolean => behind !== null && compareHlc(behind, FEED_START) === 0;
