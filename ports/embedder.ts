import { defineRef } from './define-ref.ts';

/** Turns text into vectors, to compare texts by their meaning. */
export interface Embedder {
  /** Identity of model and settings, stored with every vector; after a change all texts are embedded again. */
  readonly id: string;
  readonly dimensions: number;
  /**
   * Cosine similarity below which two texts count as unrelated, in [-1, 1]. Searches drop hits below it, so that a
   * nonsense query finds nothing.
   */
  readonly similarityFloor: number;
  /**
   * How another thread makes the same embedder, so that this one need not embed documents. Absent when that would not
   * help: for a remote model, or one with threads of its own.
   */
  readonly recipe?: EmbedderRecipe | undefined;
  /**
   * One unit-length vector per text, in order. `purpose` lets a model prefix documents and queries differently.
   * Deterministic for equal input. Rejects with `ServiceError('unavailable')` when a remote model cannot be reached;
   * a wrong dimension or a non-finite component is an error, never returned.
   */
  embed(texts: readonly string[], purpose: 'document' | 'query'): Promise<Float32Array[]>;
  /** Ends the resources of the embedder, with its node. Pending texts are rejected. Absent when there are none. */
  close?(): Promise<void>;
}

/** Describes an embedder for another thread, which makes it there. */
export interface EmbedderRecipe {
  /** URL of a module. */
  readonly module: string;
  /** The function that it exports to make an embedder. */
  readonly create: string;
  /** Arguments of the function; they can be cloned. */
  readonly given: readonly unknown[];
}

export const Embedder = defineRef<Embedder>('port.embedder');

/** Former embedders of the node. It uses them to search facts that still have vectors of an earlier embedder. */
export interface EarlierEmbedders {
  /** Returns the embedder with this id; undefined when it is no longer available. */
  find(id: string): Embedder | undefined;
  /** Ends their resources, with the node. */
  close?(): Promise<void>;
}

export const EarlierEmbedders = defineRef<EarlierEmbedders>('port.earlier-embedders');
