/** The number of look-ups after which the share of hits is judged again. */
const WINDOW = 1_024;
/** With fewer hits, a query for ten facts takes less time without the cache: a miss costs a second statement. */
const LEAST_SHARE = 1 / 2;
/** While a cache seldom hits, one of so many reads still uses it. */
const READS_BY_SAMPLE = 8;

/** Watches whether a cache is worth its cost, and advises against it while most look-ups miss. */
export class HitShare {
  #found = 0;
  #missing = 0;
  #isLow = false;
  #reads = 0;

  /** Returns whether the next read should use the cache. */
  advises(): boolean {
    if (!this.#isLow) return true;
    this.#reads += 1;
    return this.#reads % READS_BY_SAMPLE === 0;
  }

  count(found: number, missing: number): void {
    this.#found += found;
    this.#missing += missing;
    const lookups = this.#found + this.#missing;
    if (lookups < WINDOW) return;
    this.#isLow = this.#found < lookups * LEAST_SHARE;
    this.#found = 0;
    this.#missing = 0;
  }
}
