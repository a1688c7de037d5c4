import { grown } from './token-bucket.ts';

/**
 * The time in milliseconds after which a share expires. By then its bucket is full again, and further tokens of the
 * share would exceed the limit.
 */
const SHARE_MS = 60_000;
/**
 * The pause in milliseconds between a refusal and the next request to the store. A refusal never tells the caller to
 * wait for a shorter time.
 */
const REST_MS = 1_000;
/** The maximum number of shares in memory. When it is reached, the least recently used share is dropped. */
const MAX_SHARES = 20_000;

/** The share that one process has of a bucket. All times are monotonic milliseconds. */
export class Share {
  #held = 0;
  #endsMs = 0;
  /** The tokens left in the bucket at the last read, and the time of that read. */
  #left = 0;
  #leftAtMs = 0;
  #restsUntilMs = 0;

  held(nowMs: number): number {
    return nowMs < this.#endsMs ? this.#held : 0;
  }

  /** Takes the tokens if there are enough. */
  spend(units: number, nowMs: number): boolean {
    const held = this.held(nowMs);
    if (held < units) return false;
    this.#held = held - units;
    return true;
  }

  give(units: number, nowMs: number): void {
    this.#held = this.held(nowMs) + units;
    this.#endsMs = Math.max(this.#endsMs, nowMs + REST_MS);
  }

  /** Adds tokens taken from the bucket, in which `left` remain. */
  receive(share: number, left: number, nowMs: number): void {
    this.#held = this.held(nowMs) + share;
    if (share > 0) this.#endsMs = nowMs + SHARE_MS;
    this.#left = left;
    this.#leftAtMs = nowMs;
  }

  /** Records that the bucket had too few tokens for a request. */
  rest(nowMs: number): void {
    this.#restsUntilMs = nowMs + REST_MS;
  }

  /** Returns true if the store would certainly refuse now. */
  isKnownToLack(units: number, nowMs: number): boolean {
    return nowMs < this.#restsUntilMs && this.held(nowMs) + Math.floor(this.#left) < units;
  }

  /** Returns the tokens of the share and the bucket, if no other process has taken any. */
  tokens(perMinute: number, nowMs: number): number {
    const left = grown(this.#left, perMinute, nowMs - this.#leftAtMs);
    return Math.min(perMinute, this.held(nowMs) + left);
  }
}

/** Maps buckets to the shares of a process, the least recently used first. */
export class ShareMap {
  readonly #shares = new Map<string, Share>();

  of(key: string): Share {
    const known = this.#shares.get(key);
    const share = known ?? new Share();
    // A map keeps the order of insertion, so its first key is the least recently used.
    if (known !== undefined) this.#shares.delete(key);
    else if (this.#shares.size >= MAX_SHARES) this.#shares.delete(this.#shares.keys().next().value as string);
    this.#shares.set(key, share);
    return share;
  }
}
