import type { Knex } from 'knex';
import {
  type FactReader,
  type ReadableTables,
  type Scope,
  ServiceError,
  type SqlValue,
} from '../../kernel/plugin-api.ts';
import { eventOf, type OutboxEvent } from './event-row.ts';
import { REVOKED_EVENT } from './subscription-record.ts';
import { EVENTS, type SubscriptionKey, whereOf } from './subscription-store.ts';
import { EVENT_NOT_FOUND } from './subscriptions-words.ts';

export interface EventRange {
  /** An event id, exclusive. Opening rejects with `event_not_found` unless it is a stored event of the subscription. */
  readonly afterId?: string | undefined;
  /** The start of the window, in milliseconds since the epoch, inclusive. */
  readonly sinceMs?: number | undefined;
  /** An event number, exclusive; earlier events are ignored. */
  readonly afterSeq?: number | undefined;
  /** The number of the last event of the previous page, exclusive. Earlier events count only for the total. */
  readonly position?: number | undefined;
}

/** The number of a subscription's events whose facts have this scope and garden. */
export interface PlaceCount {
  /** The scope; null for the terminal event. */
  readonly scope: Scope | null;
  readonly gardenId: string | null;
  readonly count: number;
}

/** Selects the requested events of one subscription. Counts the events outside the page without reading them. */
export class EventWindow {
  readonly #own: ReadableTables;
  readonly #subscription: SubscriptionKey;
  readonly #fromMs: number;
  readonly #afterSeq: number;

  private constructor(own: ReadableTables, subscription: SubscriptionKey, fromMs: number, afterSeq: number) {
    this.#own = own;
    this.#subscription = subscription;
    this.#fromMs = fromMs;
    this.#afterSeq = afterSeq;
  }

  /** Opens a window without the events older than `oldestMs`, which have expired. */
  static async open(
    own: ReadableTables,
    subscription: SubscriptionKey,
    range: EventRange,
    oldestMs: number,
  ): Promise<EventWindow> {
    const { afterId, afterSeq = 0, sinceMs = 0 } = range;
    const behind = afterId === undefined ? 0 : await seqOf(own, subscription, afterId, oldestMs);
    return new EventWindow(own, subscription, Math.max(oldestMs, sinceMs), Math.max(afterSeq, behind));
  }

  /** Returns the number of events by scope and garden. */
  async counts(): Promise<PlaceCount[]> {
    const rows = (await this.#events(0)
      .groupBy('scope', 'garden_id')
      .select('scope', 'garden_id')
      .count({ n: '*' })) as Record<string, SqlValue>[];
    return rows.map((row) => ({
      scope: row['scope'] as Scope | null,
      gardenId: row['garden_id'] as string | null,
      count: Number(row['n']),
    }));
  }

  /** Returns at most `limit` events after a `seq`, ascending, whose scope and garden the reader may read. */
  async after(seq: number, limit: number, { caller, gardens }: FactReader): Promise<OutboxEvent[]> {
    const query = this.#events(seq).where((place) => {
      place.whereNull('scope').orWhere((known) => {
        known.whereIn('scope', [...caller.allowedScopes]);
        if (gardens === 'all') return;
        known.where((garden) => garden.whereNull('garden_id').orWhereIn('garden_id', [...gardens]));
      });
    });
    return eventsOf(await query.orderBy('seq').limit(limit));
  }

  /** Returns the terminal event if the window contains it. */
  async lastWords(): Promise<OutboxEvent[]> {
    return eventsOf(await this.#events(0).where('event_type', REVOKED_EVENT).orderBy('seq').limit(1));
  }

  #events(seq: number): Knex.QueryBuilder {
    return this.#own(EVENTS)
      .where(whereOf(this.#subscription))
      .where('seq', '>', Math.max(seq, this.#afterSeq))
      .where('created_ms', '>=', this.#fromMs);
  }
}

/** Returns the `seq` of an event of the subscription. */
export const seqOf = async (
  own: ReadableTables,
  subscription: SubscriptionKey,
  eventId: string,
  oldestMs: number,
): Promise<number> => {
  const [row] = await own.select(EVENTS, { ...whereOf(subscription), event_id: eventId });
  if (row !== undefined && Number(row['created_ms']) >= oldestMs) return Number(row['seq']);
  throw eventNotFound();
};

export const eventNotFound = (): ServiceError =>
  new ServiceError(EVENT_NOT_FOUND, 'the subscription has no such event, or has it no longer');

const eventsOf = (rows: unknown): OutboxEvent[] => (rows as Record<string, SqlValue>[]).map(eventOf);
