import type {
  Hit,
  NamedFacts,
  SearchAnswer,
  SearchIndex,
  SearchStep,
  SearchView,
} from '../../../plugins/search/search-api.ts';

type Index = Pick<SearchIndex, 'ask'>;

export const askStep = async (index: Index, step: SearchStep, view: SearchView): Promise<SearchAnswer> =>
  (await index.ask([step], view))[0] as SearchAnswer;

const hitsOf = async (index: Index, step: SearchStep, view: SearchView): Promise<readonly Hit[]> =>
  (await askStep(index, step, view)).hits;

export const findWords = (index: Index, query: string, view: SearchView, limit: number) =>
  hitsOf(index, { find: 'words', query, limit }, view);

export const findNear = (index: Index, vector: Float32Array, floor: number, view: SearchView, limit: number) =>
  hitsOf(index, { find: 'near', vector, floor, limit }, view);

export const findBeside = (index: Index, seeds: readonly Hit[], view: SearchView, limit: number) =>
  hitsOf(index, { find: 'beside', seeds, limit }, view);

export const findNewest = (index: Index, view: SearchView, limit: number) =>
  hitsOf(index, { find: 'newest', limit }, view);

export const findShares = (index: Index, query: string, ids: readonly string[], view: SearchView) =>
  hitsOf(index, { find: 'share', query, of: { ids } }, view);

export const askSpread = (index: Index, vector: Float32Array, ids: readonly string[], view: SearchView) =>
  askStep(index, { find: 'spread', vector, of: { ids } }, view);

export const askFeedback = (
  index: Index,
  vector: Float32Array,
  from: readonly string[],
  of: NamedFacts,
  view: SearchView,
) => askStep(index, { find: 'feedback', vector, from: { ids: from }, of }, view);
