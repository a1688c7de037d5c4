/** A code as the scanner reads it: see `wasm/code-scanner.ts`. */
export interface PackedRow {
  /** A bit for each component, 1 if it is negative. */
  readonly signs: Uint8Array;
  /** Two bits for each component: its absolute code is twice their number plus one. */
  readonly sizes: Uint8Array;
}

const LARGEST = 3;

/** Writes a code of odd numbers. One outside of the range becomes the nearest, so that a damaged one harms no other. */
export const pack = (code: Int8Array, { signs, sizes }: PackedRow): void => {
  signs.fill(0);
  sizes.fill(0);
  for (let at = 0; at < code.length; at++) {
    const component = code[at] as number;
    const size = Math.min(LARGEST, Math.abs(component) >> 1);
    sizes[byteOf(at)] = (sizes[byteOf(at)] as number) | (size << shiftOf(at));
    if (component < 0) signs[at >>> 3] = (signs[at >>> 3] as number) | (1 << (at & 7));
  }
};

export const unpack = ({ signs, sizes }: PackedRow, dimensions: number): Int8Array => {
  const code = new Int8Array(dimensions);
  for (let at = 0; at < dimensions; at++) {
    const odd = (((sizes[byteOf(at)] as number) >>> shiftOf(at)) & LARGEST) * 2 + 1;
    code[at] = ((signs[at >>> 3] as number) >>> (at & 7)) % 2 === 1 ? -odd : odd;
  }
  return code;
};

/** The byte with the size of a component, and the place of its two bits there. */
const byteOf = (at: number): number => ((at >>> 6) << 4) | (at & 15);
const shiftOf = (at: number): number => ((at >>> 4) & 3) << 1;
