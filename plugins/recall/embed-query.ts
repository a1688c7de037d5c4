import type { EarlierEmbedders, Embedder, Logger } from '../../kernel/plugin-api.ts';
import type { SearchIndex } from '../search/search-api.ts';

export interface QueryParts {
  readonly index: Pick<SearchIndex, 'embedders'>;
  /** Absent where no embedder is configured: the dense stage then finds nothing. */
  readonly embedder: Embedder | undefined;
  /** Absent where the node knows none. */
  readonly earlier: EarlierEmbedders | undefined;
  readonly log: Logger;
}

/** A query as one embedder sees it. */
export interface QueryVector {
  readonly embedder: Embedder;
  readonly vector: Float32Array;
}

/** The vectors of a query. */
export interface AskedVectors {
  /** By the embedder of the node: null when it failed, undefined when it had nothing to do. */
  readonly own: Float32Array | null | undefined;
  /** By all embedders whose vectors the index has. */
  readonly all: readonly QueryVector[];
}

/**
 * Embeds a query, by the embedder of the node and, while facts still have vectors of another one, by that one as well.
 * A failure costs the dense stage and nothing else. Before the snapshot is opened, because a remote model takes its
 * time.
 */
export const embedQuery = async (query: string, parts: QueryParts): Promise<AskedVectors> => {
  const { embedder: own, earlier, index, log } = parts;
  if (own === undefined || query.trim() === '') return NOTHING_ASKED;
  const others = (await index.embedders()).flatMap((id) => (id === own.id ? [] : (earlier?.find(id) ?? [])));
  const vectors = await Promise.all([own, ...others].map((embedder) => embedOnce(query, embedder, log)));
  return {
    own: vectors[0],
    all: [own, ...others].flatMap((embedder, at) => {
      const vector = vectors[at];
      return vector == null ? [] : [{ embedder, vector }];
    }),
  };
};

const NOTHING_ASKED: AskedVectors = { own: undefined, all: [] };

const embedOnce = async (query: string, embedder: Embedder, log: Logger): Promise<Float32Array | null> => {
  try {
    const [vector] = await embedder.embed([query], 'query');
    if (vector?.length === embedder.dimensions && vector.every(Number.isFinite)) return vector;
    throw new RangeError(`the embedder did not answer one vector of ${embedder.dimensions} finite components`);
  } catch (error) {
    log.warn('a query could not be embedded; it is answered without the dense stage', { error });
    return null;
  }
};
