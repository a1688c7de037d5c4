import type { EarlierEmbedders, Embedder, Logger, Principal } from '../../kernel/plugin-api.ts';
import type { SearchIndex } from '../search/search-api.ts';
import type { QueryVectors } from './query-vectors.ts';

export interface QueryParts {
  readonly index: Pick<SearchIndex, 'embedders'>;
  /** Absent where no embedder is configured: the dense stage then finds nothing. */
  readonly embedder: Embedder | undefined;
  /** Absent where the node knows none. */
  readonly earlier: EarlierEmbedders | undefined;
  readonly queryVectors: QueryVectors;
  readonly log: Logger;
}

/** A query as one embedder sees it. */
export interface QueryVector {
  readonly embedder: Embedder;
  readonly vector: Float32Array;
}

/** The vectors of a query. */
export interface QueryVectorSet {
  /** By the embedder of the node: null when it failed or was late, undefined when it had nothing to do. */
  readonly own: Float32Array | null | undefined;
  /** By all embedders whose vectors the index has. */
  readonly all: readonly QueryVector[];
}

/**
 * Embeds a query, by the embedder of the node and, while facts still have vectors of another one, by that one as well.
 * A failure, or a vector that is not there in time, costs the dense stage and nothing else. Before the snapshot is
 * opened, because a model takes its time.
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
