import { type Clock, coalesce, type Logger, type PluginTables } from '../../kernel/plugin-api.ts';
import { EVENTS } from './subscription-store.ts';

/** One stream's ear. */
export interface WakeUp {
  /** Resolves with the first event since the last call, or when so much time has passed, or the ear is closed. */
  next(limitMs: number): Promise<'event' | 'time'>;
  close(): void;
}

export interface WakeUpParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Tells streams of new events. A signal says only that there are some: one look into the store, for all streams
 * together, finds out whose. What is overlooked, because tenants commit their numbers in no common order, is found by
 * the stream's own look after a while.
 */
export class WakeUps {
  readonly #parts: WakeUpParts;
  readonly #ears = new Map<string, Set<Ear>>();
  /** Never rejects. */
  readonly look = coalesce(() => this.#wakeOwners());
  /** Numbers up to which it was looked, the last time and the time before. */
  #looked = { last: 0, before: 0 };

  constructor(parts: WakeUpParts) {
    this.#parts = parts;
  }

  open(subscriptionId: string): WakeUp {
    const ears = this.#ears.get(subscriptionId) ?? new Set<Ear>();
    this.#ears.set(subscriptionId, ears);
    const ear = new Ear(this.#parts.clock, () => {
      ears.delete(ear);
      if (ears.size === 0 && this.#ears.get(subscriptionId) === ears) this.#ears.delete(subscriptionId);
    });
    ears.add(ear);
    return ear;
  }

  /** Ends all waiting. */
  close(): void {
    for (const ears of [...this.#ears.values()]) for (const ear of [...ears]) ear.close();
  }

  async #wakeOwners(): Promise<void> {
    if (this.#ears.size === 0) return;
    let rows: readonly { readonly subscription_id: string; readonly newest: unknown }[];
    try {
      rows = await this.#parts.tables.read(async (own) =>
        own(EVENTS)
          .where('seq', '>', this.#looked.before)
          .groupBy('subscription_id')
          .select('subscription_id')
          .max({ newest: 'seq' }),
      );
    } catch (error) {
      this.#parts.log.warn('events for streams could not be looked for', { error });
      return;
    }
    const newest = Math.max(this.#looked.last, ...rows.map((row) => Number(row.newest)));
    this.#looked = { last: newest, before: this.#looked.last };
    for (const { subscription_id } of rows) for (const ear of this.#ears.get(subscription_id) ?? []) ear.wake();
  }
}

class Ear implements WakeUp {
  readonly #clock: Clock;
  readonly #closed: () => void;
  #wasWoken = false;
  #isClosed = false;
  #resolve: ((by: 'event' | 'time') => void) | undefined;

  constructor(clock: Clock, closed: () => void) {
    this.#clock = clock;
    this.#closed = closed;
  }

  wake(): void {
    this.#wasWoken = true;
    this.#resolve?.('event');
  }

  async next(limitMs: number): Promise<'event' | 'time'> {
    if (!this.#wasWoken && !this.#isClosed) {
      let cancel = (): void => {};
      await new Promise<'event' | 'time'>((resolve) => {
        this.#resolve = resolve;
        cancel = this.#clock.schedule(limitMs, () => resolve('time'));
      });
      cancel();
    }
    const by = this.#wasWoken ? 'event' : 'time';
    this.#wasWoken = false;
    return by;
  }

  close(): void {
    this.#isClosed = true;
    this.#resolve?.('time');
    this.#closed();
  }
}
