/**
 * Room for many short runs of numbers. A run holds a power of two of them, up to `LARGEST_RUN`, inside pages that are
 * never moved; a run that was outgrown is used again for another list.
 */
export class PostingArena {
  readonly #pages: Uint32Array[] = [];
  /** By size class: address of the first run that is free, plus one; each holds the next in its first place. */
  readonly #free = new Uint32Array(LARGEST_CLASS + 1);
  #next = 0;

  /** Address of a run of 2^`sizeClass` numbers. */
  allocate(sizeClass: number): number {
    const free = this.#free[sizeClass] as number;
    if (free > 0) {
      this.#free[sizeClass] = this.pageOf(free - 1)[offsetOf(free - 1)] as number;
      return free - 1;
    }
    const size = 1 << sizeClass;
    if (offsetOf(this.#next) + size > PAGE_NUMBERS) this.#next = (this.#next & ~(PAGE_NUMBERS - 1)) + PAGE_NUMBERS;
    if (offsetOf(this.#next) === 0) this.#pages.push(new Uint32Array(PAGE_NUMBERS));
    const address = this.#next;
    this.#next += size;
    return address;
  }

  release(address: number, sizeClass: number): void {
    this.pageOf(address)[offsetOf(address)] = this.#free[sizeClass] as number;
    this.#free[sizeClass] = address + 1;
  }

  pageOf(address: number): Uint32Array {
    return this.#pages[address >>> PAGE_BITS] as Uint32Array;
  }
}

export const LARGEST_CLASS = 6;
export const LARGEST_RUN = 1 << LARGEST_CLASS;

/** Place of an address in its page. */
export const offsetOf = (address: number): number => address & (PAGE_NUMBERS - 1);

const PAGE_BITS = 16;
const PAGE_NUMBERS = 1 << PAGE_BITS;
