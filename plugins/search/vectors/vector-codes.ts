/** Vectors of the documents of one part as short codes, by the ordinals of the part. */
export interface CodeTable {
  set(ordinal: number, code: Int8Array, scale: number): void;
  has(ordinal: number): boolean;
  /** A copy of the code that was set. */
  get(ordinal: number): { readonly code: Int8Array; readonly scale: number } | undefined;
  /** Forgets a code; false when there was none. */
  delete(ordinal: number): boolean;
}

/** Where a code is: the place of its table among the targets of a search, and its ordinal there. */
export interface CodePlace {
  readonly target: number;
  readonly ordinal: number;
}

/** The part of a vector search that the index needs. */
export interface VectorCodes<T extends CodeTable = CodeTable> {
  readonly dimensions: number;
  createTable(): T;
  /**
   * The codes most similar to a unit vector, best first, none below `floor` and at most `limit` over all targets; equal
   * ones in the order of `ties`, where that is given.
   * `accepts` holds a bit for each ordinal, set for those that may be found; undefined lets all be found.
   */
  search(
    query: Float32Array,
    targets: readonly { readonly table: T; readonly accepts: Uint32Array | undefined }[],
    floor: number,
    limit: number,
    ties?: (a: CodePlace, b: CodePlace) => number,
  ): readonly (CodePlace & { readonly similarity: number })[];
  /** Similarities of all codes that the targets accept, of which there are at most `most`, in no order. */
  similarities(
    query: Float32Array,
    targets: readonly { readonly table: T; readonly accepts: Uint32Array | undefined }[],
    most: number,
  ): Float64Array;
}
