/** Holds the entries that were asked for last: a full half takes the place of the one before. */
export class BoundedCache<T> {
  readonly #half: number;
  #fresh = new Map<string, T>();
  #former = new Map<string, T>();

  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  get(name: string, make: () => T): T {
    return this.find(name, make) as T;
  }

  find(name: string, make: () => T | undefined): T | undefined {
    const known = this.#fresh.get(name);
    if (known !== undefined) return known;
    const found = this.#former.get(name) ?? make();
    if (found === undefined) return undefined;
    if (this.#fresh.size >= this.#half) {
      this.#former = this.#fresh;
      this.#fresh = new Map();
    }
    this.#fresh.set(name, found);
    return found;
  }

  clear(): void {
    this.#fresh = new Map();
    this.#former = new Map();
  }
}
