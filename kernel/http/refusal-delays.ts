import { isIPv6 } from 'node:net';
import type { Clock } from '../../ports/ports.ts';

/** The number of refusals of one address that are answered at once. Slow refusals do not reach it. */
const FREE_REFUSALS = 20;
/** The milliseconds after which one refusal is forgotten. */
const FORGET_MS = 5_000;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 2_000;
/** The maximum count, because a higher one would delay a client for a minute after its last refusal. */
const MOST_COUNTED = FREE_REFUSALS + 10;
/**
 * The maximum number of delayed answers per address, because each holds a connection and a timer. Further ones are sent
 * at once.
 */
const WAITING_PER_ADDRESS = 8;
const WAITING_IN_ALL = 256;
/** The maximum number of remembered addresses. The one with the oldest refusal is removed first. */
const MOST_ADDRESSES = 4_096;

interface Refused {
  /** The number of refusals as of `sinceMs`. */
  count: number;
  sinceMs: number;
  waiting: number;
}

/**
 * Delays answers to refused credentials for an address with many of them, which slows down guessing and clients with
 * invalid keys. Credentials are checked before any delay, so a valid one is never late. The length of keys protects
 * them, not this delay.
 */
export class RefusalDelays {
  readonly #clock: Clock;
  /** Refusals by address, the oldest first. */
  readonly #refused = new Map<string, Refused>();
  #waiting = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a refusal. Resolves when its answer may be sent, or when its client has disconnected. */
  async hold(address: string, gone: () => AbortSignal): Promise<void> {
    const refused = this.#count(networkOf(address));
    const delayMs = delayFor(refused.count);
    if (delayMs === 0 || refused.waiting >= WAITING_PER_ADDRESS || this.#waiting >= WAITING_IN_ALL) return;
    refused.waiting += 1;
    this.#waiting += 1;
    try {
      await this.#wait(delayMs, gone());
    } finally {
      refused.waiting -= 1;
      this.#waiting -= 1;
    }
  }

  #count(address: string): Refused {
    const nowMs = this.#clock.monotonicMs();
    const known = this.#refused.get(address) ?? { count: 0, sinceMs: nowMs, waiting: 0 };
    const forgotten = Math.floor((nowMs - known.sinceMs) / FORGET_MS);
    known.sinceMs = forgotten >= known.count ? nowMs : known.sinceMs + forgotten * FORGET_MS;
    known.count = Math.min(Math.max(0, known.count - forgotten) + 1, MOST_COUNTED);
    this.#refused.delete(address);
    this.#refused.set(address, known);
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > MOST_ADDRESSES && oldest !== undefined) this.#refused.delete(oldest);
    return known;
  }

  #wait(delayMs: number, gone: AbortSignal): Promise<void> {
    if (gone.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        gone.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#clock.schedule(delayMs, end);
      gone.addEventListener('abort', end);
    });
  }
}

const delayFor = (count: number): number =>
  count <= FREE_REFUSALS ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (count - FREE_REFUSALS - 1), LONGEST_DELAY_MS);

/** Returns the /64 network of an IPv6 address, because a client usually has a whole network. */
export const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length;
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after);
  const whole = [...groups, ...Array.from({ length: zeros }, () => '0'), ...(tail ?? '').split(':')];
  return whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
};
