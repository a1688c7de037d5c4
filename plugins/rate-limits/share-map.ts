import { grown } from './token-bucket.ts';

/** A process holds no share for longer: tokens of long ago would come on top of those of now. */
const SHARE_MS = 60_000;
/** After a refusal a process looks again no earlier. It is the shortest wait that a refusal names. */
const REST_MS = 1_000;
/** Holders without end must not fill the memory. What the longest unused one had left is lost. */
const MAX_SHARES = 20_000;

/** What one process holds of one bucket. All times are monotonic milliseconds. */
export class Share {
  #held = 0;
  #endsMs = 0;
  /** What the bucket held besides, and when that was so. */
  #left = 0;
  #leftAtMs = 0;
  #restsUntilMs = 0;

  held(nowMs: number): number {
    return nowMs < this.#endsMs ? this.#held : 0;
  }

  /** Takes the tokens if they are there. */
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

  /** The bucket could not meet a request. */
  rest(nowMs: number): void {
    this.#restsUntilMs = nowMs + REST_MS;
  }

  /** Whether asking the store is no use yet. */
  isKnownToLack(units: number, nowMs: number): boolean {
    return nowMs < this.#restsUntilMs && this.held(nowMs) + Math.floor(this.#left) < units;
  }

  /** Tokens here and in the bucket, if no other process has taken any. */
  tokens(perMinute: number, nowMs: number): number {
    const left = grown(this.#left, perMinute, nowMs - this.#leftAtMs);
    return Math.min(perMinute, this.held(nowMs) + left);
  }
}

/** The shares of a process, the longest unused first. */
export class ShareMap {
  readonly #shares = new Map<string, Share>();

  of(key: string): Share {
    const known = this.#shares.get(key);
    const share = known ?? new Share();
    // A map remembers insertion, so its first key is the longest unused one.
    if (known !== undefined) this.#shares.delete(key);
    else if (this.#shares.size >= MAX_SHARES) this.#shares.delete(this.#shares.keys().next().value as string);
    this.#shares.set(key, share);
    return share;
  }
}
