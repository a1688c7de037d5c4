import { type Clock, coalesce, type Logger, type PluginTables } from '../../kernel/plugin-api.ts';
import { EVENTS } from './subscription-store.ts';

/** Lets one stream wait for new events. */
export interface EventWait {
  /** Resolves on the first event since the last call, after the given time, or on close. */
  next(limitMs: number): Promise<'event' | 'time'>;
  close(): void;
}

export interface StreamWaitParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Wakes streams when new events exist. A signal does not name subscriptions, so one read for all streams finds them.
 * Tenants commit event numbers independently, so a read may miss an event; then the stream's periodic check finds it.
 */
export class StreamWaits {
  readonly #parts: StreamWaitParts;
  readonly #streams = new Map<string, Set<StreamWait>>();
  /** Looks for new events and wakes their streams. Never rejects. */
  readonly look = coalesce(() => this.#wakeOwners());
  /** The highest event numbers that the last two reads have seen. */
  #looked = { last: 0, before: 0 };

  constructor(parts: StreamWaitParts) {
    this.#parts = parts;
  }

  open(subscriptionId: string): EventWait {
    const streams = this.#streams.get(subscriptionId) ?? new Set<StreamWait>();
    this.#streams.set(subscriptionId, streams);
    const stream = new StreamWait(this.#parts.clock, () => {
      streams.delete(stream);
      if (streams.size === 0 && this.#streams.get(subscriptionId) === streams) this.#streams.delete(subscriptionId);
    });
    streams.add(stream);
    return stream;
  }

  /** Wakes all streams and ends their waits. */
  close(): void {
    for (const streams of [...this.#streams.values()]) for (const stream of [...streams]) stream.close();
  }

  async #wakeOwners(): Promise<void> {
    if (this.#streams.size === 0) return;
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
    for (const { subscription_id } of rows)
      for (const stream of this.#streams.get(subscription_id) ?? []) stream.wake();
  }
}

class StreamWait implements EventWait {
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
