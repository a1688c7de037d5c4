/**
 * The distinct terms of one text with their counts, in the order of their first occurrence. The object is reused for
 * further texts.
 */
export class TermCounts {
  /** Halves of the term hashes; valid below `distinct`. */
  hi = new Uint32Array(64);
  lo = new Uint32Array(64);
  times = new Uint32Array(64);
  distinct = 0;
  /** The number of words, repeated ones included. */
  length = 0;
  /**
   * The number of slots that were skipped because of collisions, over all texts. It measures the quality of the hash.
   */
  passed = 0;
  #slots = new Int32Array(128).fill(-1);
  #slotOf = new Uint32Array(64);

  add(hi: number, lo: number): void {
    this.length += 1;
    const mask = this.#slots.length - 1;
    for (let slot = lo & mask; ; slot = (slot + 1) & mask) {
      const at = this.#slots[slot] as number;
      if (at < 0) {
        this.#append(hi, lo, slot);
        return;
      }
      if (this.lo[at] === lo && this.hi[at] === hi) {
        this.times[at] = (this.times[at] as number) + 1;
        return;
      }
      this.passed += 1;
    }
  }

  clear(): void {
    if (this.hi.length > LARGEST_KEPT) this.#resize(64);
    else for (let at = 0; at < this.distinct; at += 1) this.#slots[this.#slotOf[at] as number] = -1;
    this.distinct = 0;
    this.length = 0;
  }

  #append(hi: number, lo: number, slot: number): void {
    const at = this.distinct;
    this.hi[at] = hi;
    this.lo[at] = lo;
    this.times[at] = 1;
    this.#slotOf[at] = slot;
    this.#slots[slot] = at;
    this.distinct = at + 1;
    if (this.distinct === this.hi.length) this.#resize(this.hi.length * 2);
  }

  #resize(capacity: number): void {
    const kept = Math.min(this.distinct, capacity);
    this.hi = copied(this.hi, capacity, kept);
    this.lo = copied(this.lo, capacity, kept);
    this.times = copied(this.times, capacity, kept);
    this.#slotOf = new Uint32Array(capacity);
    this.#slots = new Int32Array(capacity * 2).fill(-1);
    if (kept < this.distinct) return;
    const mask = this.#slots.length - 1;
    for (let at = 0; at < kept; at += 1) {
      let slot = (this.lo[at] as number) & mask;
      while ((this.#slots[slot] as number) >= 0) slot = (slot + 1) & mask;
      this.#slots[slot] = at;
      this.#slotOf[at] = slot;
    }
  }
}

/** The maximum size of a table that is kept after use, so that one huge text does not occupy memory for ever. */
const LARGEST_KEPT = 16_384;

const copied = (from: Uint32Array, capacity: number, kept: number): Uint32Array<ArrayBuffer> => {
  const to = new Uint32Array(capacity);
  to.set(from.subarray(0, kept));
  return to;
};
