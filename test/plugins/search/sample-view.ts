import type { SearchView } from '../../../plugins/search/search-api.ts';
import { SAMPLE_MS } from '../../kit/fact-samples.ts';

/** The view of a caller who reads the facts of `sampleFact`. */
export const SAMPLE_VIEW: SearchView = {
  tenantId: 'default',
  scopes: ['company'],
  gardens: [],
  nowMs: SAMPLE_MS,
  minConfidence: 0.1,
};
