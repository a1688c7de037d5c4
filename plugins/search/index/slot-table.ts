/**
 * A hash table for numbers: open addressing over a typed array, 8 bytes per slot. It stores 32 bits of each hash, and
 * the caller decides whether a found number is the right one. Growing moves a few entries with every insertion, so that
 * no insertion waits for all of them.
 */
export class SlotTable {
  #slots = new Uint32Array(FIRST_SLOTS * 2);
  #count = 0;
  /** The smaller table during growth; its entries before `#moved` are in the new one. */
  #old: Uint32Array | undefined;
  #moved = 0;

  get count(): number {
    return this.#count;
  }

  /** Returns the number under the hash for which `isMeant` holds, or -1. */
  find(hash: number, isMeant: (value: number) => boolean): number {
    const found = find(this.#slots, hash, isMeant);
    const slot = found >= 0 || this.#old === undefined ? found : find(this.#old, hash, isMeant);
    if (slot < 0) return -1;
    return ((found >= 0 ? this.#slots : (this.#old as Uint32Array))[slot + 1] as number) - 1;
  }

  /** Adds a number that is not in the table. */
  add(hash: number, value: number): void {
    if ((this.#count + 1) * 4 > this.#slots.length * 1.5) this.#grow();
    this.#move();
    insert(this.#slots, hash, value);
    this.#count += 1;
  }

  /** Replaces the number for which `isMeant` holds. Returns false if there is none. */
  replace(hash: number, isMeant: (value: number) => boolean, value: number): boolean {
    for (const slots of this.#old === undefined ? [this.#slots] : [this.#slots, this.#old]) {
      const slot = find(slots, hash, isMeant);
      if (slot < 0) continue;
      slots[slot + 1] = value + 1;
      return true;
    }
    return false;
  }

  /** Allocates an empty table for this many numbers, so that it need not grow. */
  reserve(count: number): void {
    if (this.#count > 0) return;
    let length = this.#slots.length;
    while (count * 4 > length * 1.5) length *= 2;
    if (length > this.#slots.length) this.#slots = new Uint32Array(length);
  }

  #grow(): void {
    while (this.#old !== undefined) this.#move();
    if (this.#count > 0) {
      this.#old = this.#slots;
      this.#moved = 0;
    }
    this.#slots = new Uint32Array(this.#slots.length * 2);
  }

  #move(): void {
    const old = this.#old;
    if (old === undefined) return;
    const end = Math.min(old.length, this.#moved + MOVED_AT_ONCE * 2);
    for (let at = this.#moved; at < end; at += 2) {
      if (old[at + 1] !== 0) insert(this.#slots, old[at] as number, (old[at + 1] as number) - 1);
    }
    this.#moved = end;
    if (end === old.length) this.#old = undefined;
  }
}

const FIRST_SLOTS = 64;
/** The number of entries moved per insertion, enough to finish long before the new table is full. */
const MOVED_AT_ONCE = 16;

const find = (slots: Uint32Array, hash: number, isMeant: (value: number) => boolean): number => {
  const mask = slots.length - 2;
  for (let at = (hash * 2) & mask; ; at = (at + 2) & mask) {
    const value = slots[at + 1] as number;
    if (value === 0) return -1;
    if (slots[at] === hash && isMeant(value - 1)) return at;
  }
};

const insert = (slots: Uint32Array, hash: number, value: number): void => {
  const mask = slots.length - 2;
  let at = (hash * 2) & mask;
  while (slots[at + 1] !== 0) at = (at + 2) & mask;
  slots[at] = hash;
  slots[at + 1] = value + 1;
};
