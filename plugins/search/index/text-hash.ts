import type { Random } from '../../../kernel/plugin-api.ts';

/**
 * A 64-bit hash as two unsigned halves of 32 bits. Callers reuse the objects, so that hashing a word allocates nothing.
 */
export interface Hash64 {
  hi: number;
  lo: number;
}

/** Separates keys of one kind from equal keys of another. Part of the snapshot format. */
export const KEY_KINDS = {
  term: 1,
  entity: 2,
  relation: 3,
  session: 4,
  garden: 5,
  speaker: 6,
  name: 7,
  source: 8,
  asserter: 9,
} as const;

/**
 * A random seed of 128 bits, drawn for each index. Stored in its snapshot, which holds the content of facts anyway, and
 * never published.
 */
export type HashSeed = readonly [a: number, b: number, c: number, d: number];

export const drawHashSeed = (random: Random): HashSeed => {
  const bytes = random.bytes(16);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return [view.getUint32(0), view.getUint32(4), view.getUint32(8), view.getUint32(12)];
};

/**
 * Hashes texts under a secret seed. Writers choose texts, but do not know the seed. So they can neither slow the index
 * by colliding texts nor make it confuse two names.
 */
export class TextHasher {
  readonly seed: HashSeed;
  readonly #c: number;
  readonly #d: number;

  constructor(seed: HashSeed) {
    this.seed = seed;
    [, , this.#c, this.#d] = seed;
  }

  /** Writes the hash of a text to `into`. */
  hash(text: string, kind: number, into: Hash64): void {
    let a = this.startA(kind);
    let b = this.startB(kind);
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      a = Math.imul(a ^ code, STEP_A);
      b = Math.imul((b ^ code) + (a >>> 15), STEP_B);
    }
    this.finish(a, b, text.length, into);
  }

  /**
   * For callers that read a text themselves: start with both start values, apply one step per character as `hash` does,
   * then call `finish`.
   */
  startA(kind: number): number {
    return Math.imul(kind, 0x85ebca6b) ^ this.seed[0];
  }

  startB(kind: number): number {
    return Math.imul(kind, 0xc2b2ae35) ^ this.seed[1];
  }

  finish(a: number, b: number, length: number, into: Hash64): void {
    const mixedA = mix32(a ^ length) ^ mix32(b + this.#c);
    const mixedB = mix32(b ^ Math.imul(length, STEP_A)) ^ Math.imul(mixedA, STEP_B);
    into.hi = mixedA >>> 0;
    into.lo = mix32(mixedB ^ this.#d) >>> 0;
  }
}

/** Multipliers of the hash steps, for callers that read a text themselves. */
export const STEP_A = 0x9e3779b1;
export const STEP_B = 0x5f356495;

/** Mixes a number so that every bit of the result depends on every bit of the input. */
export const mix32 = (number: number): number => {
  let mixed = number ^ (number >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
};
