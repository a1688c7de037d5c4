import type { Clock, HookCaller, Logger } from '../../kernel/plugin-api.ts';
import type { KeyHistory } from './key-history.ts';
import type { HeldKeys, LiveIdentity } from './live-identity.ts';
import { nodeKeyAnnounced } from './node-info-api.ts';

/**
 * The time in milliseconds between publishing a new key and signing with it, so that all processes and readers of the
 * metadata know it by then.
 */
export const ANNOUNCED_MS = 3_000;

export interface TakeUpParts {
  readonly identity: LiveIdentity;
  readonly history: KeyHistory;
  readonly hooks: HookCaller;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the keys in the files, or undefined if a setting gives the key or the file is missing. */
  readKeys(): Promise<HeldKeys | undefined>;
}

/** Replaces the key of a running process by the new key in the file. */
export class KeyTakeUp {
  readonly #parts: TakeUpParts;
  #useAtMs: number | undefined;

  constructor(parts: TakeUpParts) {
    this.#parts = parts;
  }

  /** Announces a new key if one has replaced the present one. */
  async look(): Promise<void> {
    const { identity, history, hooks, clock, readKeys } = this.#parts;
    if (this.#useAtMs !== undefined) return;
    const keys = await readKeys();
    if (keys === undefined || keys.current.publicKey === identity.publicKey || this.#useAtMs !== undefined) return;
    // Signs nothing with the new key before the announcement is complete, however long that takes.
    this.#useAtMs = Number.POSITIVE_INFINITY;
    try {
      identity.prepare(keys);
      await hooks.collect(nodeKeyAnnounced, { publicKey: keys.current.publicKey });
      await history.begin(keys.current.publicKey, identity.signRetired);
      this.#useAtMs = clock.monotonicMs() + ANNOUNCED_MS;
    } catch (error) {
      this.#useAtMs = undefined;
      throw error;
    }
  }

  /** Starts signing with the announced key when `ANNOUNCED_MS` have passed. */
  useWhenDue(): void {
    const { identity, clock, log } = this.#parts;
    if (this.#useAtMs === undefined || clock.monotonicMs() < this.#useAtMs) return;
    this.#useAtMs = undefined;
    const retiredPublicKey = identity.publicKey;
    identity.use();
    log.info('the node signs by its new key', { retiredPublicKey, publicKey: identity.publicKey });
  }
}
