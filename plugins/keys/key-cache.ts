/**
 * How long a cached key may be used. A revocation by another process takes effect within this time even without a
 * signal.
 */
export const KEY_CACHE_MS = 1_000;
const MAX_CACHED = 4096;

interface Cached<T> {
  readonly value: T;
  readonly loadedMs: number;
}

/**
 * Caches the result of each look-up for at most a second. Simultaneous requests share one read. `clear` also discards
 * running reads, whose results may be out of date.
 */
export class KeyCache<T> {
  readonly #load: (digest: string) => Promise<T | undefined>;
  readonly #monotonicMs: () => number;
  readonly #looked: (wasKept: boolean) => void;
  #cached = new Map<string, Cached<T>>();
  #loading = new Map<string, Promise<T | undefined>>();

  /** Calls `looked` for each look-up, with true for a cached key. */
  constructor(
    load: (digest: string) => Promise<T | undefined>,
    monotonicMs: () => number,
    looked: (wasKept: boolean) => void = () => {},
  ) {
    this.#load = load;
    this.#monotonicMs = monotonicMs;
    this.#looked = looked;
  }

  /** Returns a cached key at once. Unknown digests are not cached, so that guesses do not evict keys. */
  get(digest: string): T | Promise<T | undefined> {
    const known = this.#cached.get(digest);
    const isFresh = known !== undefined && this.#monotonicMs() - known.loadedMs < KEY_CACHE_MS;
    this.#looked(isFresh);
    if (isFresh) return known.value;
    return this.#loading.get(digest) ?? this.#read(digest);
  }

  clear(): void {
    this.#cached = new Map();
    this.#loading = new Map();
  }

  #read(digest: string): Promise<T | undefined> {
    const loadedMs = this.#monotonicMs();
    const cached = this.#cached;
    const loading = this.#loading;
    const reading = this.#load(digest)
      .then((value) => {
        cached.delete(digest);
        if (value !== undefined) {
          // A map keeps the order of insertion, so its first key is the oldest.
          if (cached.size >= MAX_CACHED) cached.delete(cached.keys().next().value as string);
          cached.set(digest, { value, loadedMs });
        }
        return value;
      })
      .finally(() => loading.delete(digest));
    loading.set(digest, reading);
    return reading;
  }
}
