/** A 64-bit hash, in two halves of 32 bits without sign. Holders are reused: no garbage is made per word. */
export interface Hash64 {
  hi: number;
  lo: number;
}

/** Keeps keys of one kind apart from equal keys of another. Part of the format of snapshots. */
export const KEY_KINDS = { term: 1, entity: 2, relation: 3, session: 4, garden: 5 } as const;

/**
 * Hashes a text into `into`. Whoever can choose texts can make two collide, so what such a collision could reach beyond its own tenant or part is
 * compared exactly wherever a hash is a key.
 */
export function hashText(text: string, kind: number, into: Hash64): void {
  let a = seedA(kind);
  let b = seedB(kind);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, STEP_A);
    b = Math.imul((b ^ code) + (a >>> 15), STEP_B);
  }
  finishHash(a, b, text.length, into);
}

/** Steps of the hash for those who walk a text themselves: start with the seeds, one step a character, then `finishHash`. */
export const STEP_A = 0x9e3779b1;
export const STEP_B = 0x5f356495;
export const seedA = (kind: number): number => Math.imul(kind, 0x85ebca6b) ^ 0xdeadbeef;
export const seedB = (kind: number): number => Math.imul(kind, 0xc2b2ae35) ^ 0x41c6ce57;

export function finishHash(a: number, b: number, length: number, into: Hash64): void {
  const mixedA = mix32(a ^ length) ^ mix32(b + 0x7f4a7c15);
  const mixedB = mix32(b ^ Math.imul(length, STEP_A)) ^ Math.imul(mixedA, STEP_B);
  into.hi = mixedA >>> 0;
  into.lo = mix32(mixedB) >>> 0;
}

/** Every bit of the outcome depends on every bit of the number. */
export function mix32(number: number): number {
  let mixed = number ^ (number >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
