/** The vectors of the documents of one part as short codes, by ordinal. */
export interface CodeTable {
  set(ordinal: number, code: Int8Array, scale: number): void;
  has(ordinal: number): boolean;
  /** Returns a copy of the stored code. */
  get(ordinal: number): { readonly code: Int8Array; readonly scale: number } | undefined;
  /** Deletes a code. Returns false if there was none. */
  delete(ordinal: number): boolean;
}

/** The location of a code: the index of its table among the targets of a search, and its ordinal there. */
export interface CodePlace {
  readonly target: number;
  readonly ordinal: number;
}

/** The part of a vector search that the index needs. */
export interface VectorCodes<T extends CodeTable = CodeTable> {
  readonly dimensions: number;
  createTable(): T;
  /**
   * Returns the codes most similar to a unit vector over all targets, best first, none below `floor`. `ties` orders
   * equal ones. `accepts` holds a bit for each ordinal, set for those that may be found; undefined accepts all.
   */
  search(
    query: Float32Array,
    targets: readonly { readonly table: T; readonly accepts: Uint32Array | undefined }[],
    floor: number,
    limit: number,
    ties?: (a: CodePlace, b: CodePlace) => number,
  ): readonly (CodePlace & { readonly similarity: number })[];
  /** Returns the similarities of all codes that the targets accept, of which there are at most `most`, in no order. */
  similarities(
    query: Float32Array,
    targets: readonly { readonly table: T; readonly accepts: Uint32Array | undefined }[],
    most: number,
  ): Float64Array;
}
