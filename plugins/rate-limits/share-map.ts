import { grown } from './token-bucket.ts';

/** A share expires after this time, because old tokens would come on top of new ones. */
const SHARE_MS = 60_000;
/** Pause between a refusal and the next request to the store. A refusal names no shorter wait. */
const REST_MS = 1_000;
/** Bounds the memory. The least recently used share is lost. */
const MAX_SHARES = 20_000;

/** The share that one process holds of a bucket. All times are monotonic milliseconds. */
export class Share {
  #held = 0;
  #endsMs = 0;
  /** The rest of the bucket, and when it was read. */
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

  /** Adds tokens from the bucket, in which `left` remain. */
  receive(share: number, left: number, nowMs: number): void {
    this.#held = this.held(nowMs) + share;
    if (share > 0) this.#endsMs = nowMs + SHARE_MS;
    this.#left = left;
    this.#leftAtMs = nowMs;
  }

  /** Records that the bucket could not meet a request. */
  rest(nowMs: number): void {
    this.#restsUntilMs = nowMs + REST_MS;
  }

  /** True if the store would surely refuse now. */
  isKnownToLack(units: number, nowMs: number): boolean {
    return nowMs < this.#restsUntilMs && this.held(nowMs) + Math.floor(this.#left) < units;
  }

  /** Tokens here and in the bucket, if no other process has taken any. */
  tokens(perMinute: number, nowMs: number): number {
    const left = grown(this.#left, perMinute, nowMs - this.#leftAtMs);
    return Math.min(perMinute, this.held(nowMs) + left);
  }
}

/** The shares of a process, the least recently used first. */
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
