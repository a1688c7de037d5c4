/**
 * Memory for many short runs of numbers. The length of a run is a power of two up to `LARGEST_RUN`, inside pages that
 * never move. When a list outgrows its run, another list reuses it.
 */
export class PostingArena {
  readonly #pages: Uint32Array[] = [];
  /**
   * By size class: the address of the first free run, plus one. Each free run stores the next one in its first number.
   */
  readonly #free = new Uint32Array(LARGEST_CLASS + 1);
  #next = 0;

  /** Returns the address of a run of 2^`sizeClass` numbers. */
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

/** Returns the offset of an address in its page. */
export const offsetOf = (address: number): number => address & (PAGE_NUMBERS - 1);

const PAGE_BITS = 16;
const PAGE_NUMBERS = 1 << PAGE_BITS;
