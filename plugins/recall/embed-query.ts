import type { EarlierEmbedders, Embedder, Logger, Principal } from '../../kernel/plugin-api.ts';
import type { SearchIndex } from '../search/search-api.ts';
import type { QueryVectors } from './query-vectors.ts';

export interface QueryParts {
  readonly index: Pick<SearchIndex, 'embedders'>;
  /** Undefined without a configured embedder: the dense stage then finds nothing. */
  readonly embedder: Embedder | undefined;
  /** Undefined if the node has no earlier embedders. */
  readonly earlier: EarlierEmbedders | undefined;
  readonly queryVectors: QueryVectors;
  readonly log: Logger;
}

/** The vector of a query by one embedder. */
export interface QueryVector {
  readonly embedder: Embedder;
  readonly vector: Float32Array;
}

export interface QueryVectorSet {
  /** The vector by the node's embedder: null if it failed or was late, undefined if it was not needed. */
  readonly own: Float32Array | null | undefined;
  /** The vectors by all embedders whose vectors the index has. */
  readonly all: readonly QueryVector[];
}

/**
 * Embeds a query with the node's embedder and, while facts still have vectors of an earlier one, with that one too. A
 * failed or late vector affects only the dense stage. Call it before the snapshot is opened, because a model may be
 * slow.
 */
export const embedQuery = async (query: string, caller: Principal, parts: QueryParts): Promise<QueryVectorSet> => {
  const { embedder: own, earlier, index } = parts;
  if (own === undefined || query.trim() === '') return NOTHING_ASKED;
  const others = (await index.embedders()).flatMap((id) => (id === own.id ? [] : (earlier?.find(id) ?? [])));
  const vectors = await Promise.all([own, ...others].map((embedder) => embedOnce(query, embedder, caller, parts)));
  return {
    own: vectors[0],
    all: [own, ...others].flatMap((embedder, at) => {
      const vector = vectors[at];
      return vector == null ? [] : [{ embedder, vector }];
    }),
  };
};

const NOTHING_ASKED: QueryVectorSet = { own: undefined, all: [] };

const embedOnce = async (
  query: string,
  embedder: Embedder,
  caller: Principal,
  { queryVectors, log }: QueryParts,
): Promise<Float32Array | null> => {
  try {
    return await queryVectors.of(query, embedder, caller);
  } catch (error) {
    log.warn('a query could not be embedded; it is answered without the dense stage', { error });
    return null;
  }
};
