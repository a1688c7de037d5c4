/**
 * Finds names in the bytes of a list, each ended by a line feed. A map of strings would take four times the memory in
 * every thread that embeds, and ten times as long to fill.
 */
export class NameIndex {
  readonly #bytes: Uint8Array;
  /** The place of each name in the bytes, and at last the end of the list. */
  readonly #starts: Uint32Array;
  /** A hash table with linear probing: the number of a name plus one, or 0 where a slot is free. */
  readonly #slots: Int32Array;

  /** Takes the first `count` names. Throws a RangeError if there are fewer. */
  constructor(bytes: Uint8Array, count: number) {
    this.#bytes = bytes;
    this.#starts = new Uint32Array(count + 1);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 1)));
    let at = 0;
    for (let number = 0; number < count; number += 1) {
      let hash = HASH_SEED;
      for (; bytes[at] !== LINE_FEED; at += 1) {
        if (at >= bytes.length) throw new RangeError(`the list has ${number} of ${count} names`);
        hash = hashWith(hash, bytes[at] as number);
      }
      at += 1;
      this.#starts[number + 1] = at;
      this.#slots[this.#freeSlot(hash)] = number + 1;
    }
  }

  /** Returns the number of a name in the list, from 0. */
  find(name: string): number | undefined {
    let hash = HASH_SEED;
    for (let at = 0; at < name.length; at += 1) hash = hashWith(hash, name.charCodeAt(at));
    for (let slot = this.#slotOf(hash); ; slot = this.#after(slot)) {
      const entry = this.#slots[slot] as number;
      if (entry === 0) return undefined;
      if (this.#is(entry - 1, name)) return entry - 1;
    }
  }

  #is(number: number, name: string): boolean {
    const start = this.#starts[number] as number;
    if (name.length !== (this.#starts[number + 1] as number) - 1 - start) return false;
    for (let at = 0; at < name.length; at += 1) {
      if (this.#bytes[start + at] !== name.charCodeAt(at)) return false;
    }
    return true;
  }

  #freeSlot(hash: number): number {
    let slot = this.#slotOf(hash);
    while (this.#slots[slot] !== 0) slot = this.#after(slot);
    return slot;
  }

  #slotOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & (this.#slots.length - 1);
  }

  #after(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }
}

const LINE_FEED = 10;

/** FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
const HASH_SEED = 0x811c9dc5;
const hashWith = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);
