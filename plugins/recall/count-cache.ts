/** Cached counts of facts, and cached highest counts of views. A full cache is emptied. */
const MOST_COUNTS = 100_000;
const MOST_PEAKS = 1_000;

/**
 * Counts of recalls as they were read, until some are written. Those read from a snapshot that is older than that are
 * used once and not kept.
 */
export class CountCache {
  /** Grows whenever something was written. */
  #age = 0;
  #counts = new Map<string, Map<string, number>>();
  #peaks = new Map<string, number>();

  get age(): number {
    return this.#age;
  }

  clear(): void {
    this.#age += 1;
    this.#counts = new Map();
    this.#peaks = new Map();
  }

  /** By fact, for one tenant. */
  countsOf(tenantId: string, age: number): Map<string, number> {
    if (age !== this.#age) return new Map();
    let sum = 0;
    for (const { size } of this.#counts.values()) sum += size;
    if (sum >= MOST_COUNTS) this.#counts = new Map();
    const known = this.#counts.get(tenantId);
    if (known !== undefined) return known;
    const fresh = new Map<string, number>();
    this.#counts.set(tenantId, fresh);
    return fresh;
  }

  /** By what tells a view from others. */
  peaks(age: number): Map<string, number> {
    if (age !== this.#age) return new Map();
    if (this.#peaks.size >= MOST_PEAKS) this.#peaks = new Map();
    return this.#peaks;
  }
}
