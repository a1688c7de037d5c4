/**
 * How long an answer of the store may be used. A revocation by another process takes effect within this time even
 * without a signal.
 */
export const KEY_CACHE_MS = 1_000;
const MAX_CACHED = 4096;

interface Cached<T> {
  readonly value: T;
  readonly loadedMs: number;
}

/**
 * Keeps the store's last answer about each digest, for at most a second. Requests at the same time share one read.
 * `clear` also discards reads under way, whose answers may be too old.
 */
export class KeyCache<T> {
  readonly #load: (digest: string) => Promise<T | undefined>;
  readonly #monotonicMs: () => number;
  readonly #looked: (wasKept: boolean) => void;
  #cached = new Map<string, Cached<T>>();
  #loading = new Map<string, Promise<T | undefined>>();

  /** Calls `looked` for each look-up, with the result. */
  constructor(
    load: (digest: string) => Promise<T | undefined>,
    monotonicMs: () => number,
    looked: (wasKept: boolean) => void = () => {},
  ) {
    this.#load = load;
    this.#monotonicMs = monotonicMs;
    this.#looked = looked;
  }

  /** Returns a cached answer at once. Unknown digests are not cached, so that guesses do not push keys out. */
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
          // A map remembers insertion, so its first key is the oldest.
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
