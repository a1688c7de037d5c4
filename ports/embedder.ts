import { defineRef } from './define-ref.ts';

/** Turns texts into vectors, so that texts can be compared by meaning. */
export interface Embedder {
  /** The identity of model and settings, stored with every vector. After a change, all texts are embedded again. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * The cosine similarity, in [-1, 1], below which two texts count as unrelated. Searches drop hits below it, so that a
   * nonsense query finds nothing.
   */
  readonly similarityFloor: number;
  /**
   * The recipe for creating the same embedder in another thread, which then embeds documents. Absent when that would
   * not help: for a remote model, or one with threads of its own.
   */
  readonly recipe?: EmbedderRecipe | undefined;
  /**
   * Returns one unit-length vector per text, in order. `purpose` lets a model prefix documents and queries differently.
   * Deterministic for equal input. Rejects with `ServiceError('unavailable')` when a remote model cannot be reached,
   * and with an error for a wrong dimension or a non-finite component.
   */
  embed(texts: readonly string[], purpose: 'document' | 'query'): Promise<Float32Array[]>;
  /** Closes the resources of the embedder when the node stops. Rejects pending texts. Absent when there are none. */
  close?(): Promise<void>;
}

/** The recipe by which another thread creates an embedder. */
export interface EmbedderRecipe {
  /** The URL of the module. */
  readonly module: string;
  /** The name of the exported function that creates the embedder. */
  readonly create: string;
  /** The arguments of the function, which must be cloneable. */
  readonly given: readonly unknown[];
}

export const Embedder = defineRef<Embedder>('port.embedder');

/** The node's former embedders. They embed queries for facts that still have vectors of an earlier embedder. */
export interface EarlierEmbedders {
  /** Returns the embedder with this id; undefined when it is no longer available. */
  find(id: string): Embedder | undefined;
  /** Closes the resources of all former embedders when the node stops. */
  close?(): Promise<void>;
}

export const EarlierEmbedders = defineRef<EarlierEmbedders>('port.earlier-embedders');
