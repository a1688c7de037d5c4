/** Where an edge stands among those of one entity: the most confident first, then by the entity at its other end. */
export interface EdgePosition {
  readonly order: string;
  readonly otherKey: string;
  readonly relationKey: string;
  readonly factId: string;
}

/**
 * Characters of a name that its edge is ordered by in the index; where they are the same, the whole names are compared.
 */
const NAMED_CHARACTERS = 80;
const DIGITS = 16;

/**
 * One text that orders by falling confidence and then by the name, so that an index on it holds the edges of an entity
 * as they are listed.
 */
export const orderText = (confidence: number, otherKey: string): string =>
  hexOf(invertedBits(confidence)) + beginningOf(otherKey);

/** The first text behind those of all edges with at least this confidence; undefined when every edge has. */
export const behindConfidence = (least: number): string | undefined =>
  least <= 0 ? undefined : hexOf(invertedBits(least) + 1n);

export const compareEdgePositions = (a: EdgePosition, b: EdgePosition): number =>
  compareBytes(a.order, b.order) ||
  compareBytes(a.otherKey, b.otherKey) ||
  compareBytes(a.relationKey, b.relationKey) ||
  compareBytes(a.factId, b.factId);

/** The order of both engines: by the bytes of UTF-8, which is that of code points. */
export const compareBytes = (a: string, b: string): number =>
  a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Doubles that are not negative order as their bits do. */
const invertedBits = (confidence: number): bigint => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.max(confidence, 0));
  return BigInt.asUintN(64, ~view.getBigUint64(0));
};

const hexOf = (bits: bigint): string => bits.toString(16).padStart(DIGITS, '0');

/** By code points: half a pair of surrogates is no text. */
const beginningOf = (key: string): string =>
  key.length <= NAMED_CHARACTERS ? key : [...key].slice(0, NAMED_CHARACTERS).join('');
