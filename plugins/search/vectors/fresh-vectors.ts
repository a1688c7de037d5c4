import type { FactName } from '../../../kernel/internal-api.ts';

/** A vector as the store holds it: one byte for each dimension, and their common factor. */
export interface VectorCode {
  readonly code: Int8Array;
  readonly scale: number;
}

/** The most batches of vectors, of some dozens each, that wait for the index. */
const MOST_BATCHES = 16;

/** Vectors of one generation that this process stores in one transaction. */
export interface FreshBatch {
  readonly generation: string;
  readonly codes: ReadonlyMap<string, VectorCode>;
  /** Whether the transaction has ended, so that every later read sees the rows. */
  isStored: boolean;
}

/**
 * The vectors that this process has just stored. The index of the process takes them from here, because on a sealed
 * node each stored one would have to be opened again.
 */
export class FreshVectors {
  #batches: readonly FreshBatch[] = [];

  add(generation: string, vectors: readonly { readonly fact: FactName; readonly vector: VectorCode }[]): FreshBatch {
    const codes = new Map(vectors.map(({ fact, vector }) => [nameOf(fact), vector]));
    const batch = { generation, codes, isStored: false };
    this.#batches = [...this.#batches.slice(1 - MOST_BATCHES), batch];
    return batch;
  }

  drop(batches: readonly FreshBatch[]): void {
    this.#batches = this.#batches.filter((batch) => !batches.includes(batch));
  }

  /** Forgets everything, because something was erased. */
  clear(): void {
    this.#batches = [];
  }

  of(generation: string): readonly FreshBatch[] {
    return this.#batches.filter((batch) => batch.generation === generation);
  }
}

/** Returns the code of a stored vector. One that an attempt before has stored may have another factor. */
export const codeIn = (batches: readonly FreshBatch[], fact: FactName, scale: number): Int8Array | undefined => {
  const name = nameOf(fact);
  for (const { codes } of batches) {
    const vector = codes.get(name);
    if (vector?.scale === scale) return vector.code;
  }
  return undefined;
};

const nameOf = ({ tenantId, id }: FactName): string => `${tenantId} ${id}`;
