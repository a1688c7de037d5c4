/** The maximum number of cached counts, and of highest counts of views. A full cache is emptied. */
const MOST_COUNTS = 100_000;
const MOST_PEAKS = 1_000;

/**
 * Caches counts of recalls until a process writes new ones. Counts from an older snapshot are used once and not cached.
 */
export class CountCache {
  /** Increases whenever a process has written counts. */
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

  /** Returns the counts of one tenant, by fact. */
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

  /** Returns the highest counts, by a key of the view. */
  peaks(age: number): Map<string, number> {
    if (age !== this.#age) return new Map();
    if (this.#peaks.size >= MOST_PEAKS) this.#peaks = new Map();
    return this.#peaks;
  }
}
