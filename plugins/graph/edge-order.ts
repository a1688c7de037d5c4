/**
 * The position of an edge in the list of one entity: sorted by falling confidence, then by the entity at its other end.
 */
export interface EdgePosition {
  readonly order: string;
  readonly otherKey: string;
  readonly relationKey: string;
  readonly factId: string;
}

/** The number of characters of a name in the index. Names with equal beginnings are compared in full afterwards. */
const NAMED_CHARACTERS = 80;
const DIGITS = 16;

/**
 * Returns a text that sorts by falling confidence, then by name. An index on it stores the edges of an entity in the
 * order of the list.
 */
export const orderText = (confidence: number, otherKey: string): string =>
  hexOf(invertedBits(confidence)) + beginningOf(otherKey);

/** Returns the first text that sorts after all edges with at least this confidence; undefined if every edge has it. */
export const behindConfidence = (least: number): string | undefined =>
  least <= 0 ? undefined : hexOf(invertedBits(least) + 1n);

export const compareEdgePositions = (a: EdgePosition, b: EdgePosition): number =>
  compareBytes(a.order, b.order) ||
  compareBytes(a.otherKey, b.otherKey) ||
  compareBytes(a.relationKey, b.relationKey) ||
  compareBytes(a.factId, b.factId);

/** Compares texts as both database engines do: by the bytes of UTF-8, which is the order of code points. */
export const compareBytes = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Returns the inverted bits of a confidence. The bits of doubles of 0 or more sort like the doubles themselves. */
const invertedBits = (confidence: number): bigint => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.max(confidence, 0));
  return BigInt.asUintN(64, ~view.getBigUint64(0));
};

const hexOf = (bits: bigint): string => bits.toString(16).padStart(DIGITS, '0');

/** Returns the beginning of a key. Cuts between code points, because half of a surrogate pair is not valid text. */
const beginningOf = (key: string): string =>
  key.length <= NAMED_CHARACTERS ? key : [...key].slice(0, NAMED_CHARACTERS).join('');
