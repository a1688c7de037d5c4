import { defineRef } from './define-ref.ts';

/** Turns text into vectors, to compare texts by their meaning. */
export interface Embedder {
  /** Identity of model and settings, stored with every vector; a change re-embeds. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * Cosine similarity below which two texts count as unrelated, in [-1, 1]. Searches drop hits under it, so a
   * nonsense query finds nothing.
   */
  readonly similarityFloor: number;
  /**
   * How another thread makes the same embedder, so that documents need not be embedded in this one. Absent where that
   * would not help: a remote model, or one that has threads of its own.
   */
  readonly recipe?: EmbedderRecipe | undefined;
  /**
   * One unit-length vector per text, in order. `purpose` lets a model prefix documents and queries differently.
   * Deterministic for equal input. Rejects with `ServiceError('unavailable')` when a remote model cannot be reached;
   * a wrong dimension or a non-finite component is an error, never returned.
   */
  embed(texts: readonly string[], purpose: 'document' | 'query'): Promise<Float32Array[]>;
  /** Ends what the embedder runs, with its node. Texts under way are rejected. Absent where there is nothing to end. */
  close?(): Promise<void>;
}

/** What can be handed over to another thread in place of an embedder. */
export interface EmbedderRecipe {
  /** URL of a module. */
  readonly module: string;
  /** The function that it exports to make an embedder. */
  readonly create: string;
  /** What the function is given; can be cloned. */
  readonly given: readonly unknown[];
}

export const Embedder = defineRef<Embedder>('port.embedder');

/**
 * Embedders that the node had before: with them it can ask for facts whose vectors are those of an earlier embedder,
 * until they have new ones.
 */
export interface EarlierEmbedders {
  /** The embedder with this id; undefined for one that cannot be asked any more. */
  find(id: string): Embedder | undefined;
  /** Ends what they run, with the node. */
  close?(): Promise<void>;
}

export const EarlierEmbedders = defineRef<EarlierEmbedders>('port.earlier-embedders');
