import {
  all,
  type FactReader,
  type Facts,
  type FactView,
  isIn,
  type PluginTables,
  type Principal,
  type ReadableTables,
  ServiceError,
  type Snapshot,
  type SqlValue,
} from '../../kernel/plugin-api.ts';
import type { AccessCheck, Standing } from './access-check.ts';
import { eventOf, type OutboxEvent } from './event-row.ts';
import { REVOKED_EVENT, type Subscription } from './subscription-record.ts';
import { ownSubscription } from './subscription-routes.ts';
import { EVENTS, type SubscriptionStore } from './subscription-store.ts';

export interface ReadEventsParts {
  readonly tables: PluginTables;
  readonly facts: Facts;
  readonly access: AccessCheck;
  readonly store: SubscriptionStore;
  nowMs(): number;
  readonly replayMs: number;
}

export interface EventRange {
  /** Event id, exclusive. Rejects with `event_not_found` when it is not one of the subscription's, or is no longer kept. */
  readonly afterId?: string | undefined;
  /** Milliseconds since the epoch, inclusive. */
  readonly sinceMs?: number | undefined;
  /** `seq`, exclusive: nothing up to it is looked at. */
  readonly afterSeq?: number | undefined;
  /** `seq`, exclusive: where the last page ended; what is before it is counted and not shown. */
  readonly position?: number | undefined;
}

/** An event that may be shown, with what it says; the terminal event says nothing. */
export interface ShownEvent {
  readonly event: OutboxEvent;
  readonly view: FactView | null;
}

export interface EventPage {
  readonly subscription: Subscription;
  /** Ascending; one more than the limit when there are more. */
  readonly shown: readonly ShownEvent[];
  /** Visible matches over all pages. */
  readonly total: number;
}

/**
 * Events as their owner may see them now (wire contract 9.3): the rights of the subscription, of each event, and of the key that asks, all on
 * one snapshot. When a right is gone the subscription ends, and its last event is all that is left to be seen. Undefined for a caller whose
 * own key is no longer good.
 */
export const readEvents = async (
  id: string,
  caller: Principal,
  range: EventRange,
  limit: number,
  parts: ReadEventsParts,
): Promise<EventPage | undefined> => {
  const look = (): Promise<Look | undefined> =>
    parts.tables.read((_, snapshot) => lookAt(id, caller, range, limit, snapshot, parts));
  const page = await look();
  if (!page?.isEnding) return page?.result;
  await parts.store.revoke(page.result.subscription);
  // A position from before the end is good for what came after it. Looked at once more only: nobody waits for a race of others to end.
  return (await look())?.result;
};

interface Look {
  /** Whether a right is gone and the subscription is to be ended for it. */
  readonly isEnding: boolean;
  readonly result: EventPage;
}

const lookAt = async (
  id: string,
  asking: Principal,
  range: EventRange,
  limit: number,
  snapshot: Snapshot,
  parts: ReadEventsParts,
): Promise<Look | undefined> => {
  const subscription = await ownSubscription(parts.store, id, asking, snapshot);
  // The key of the subscription itself is judged with it: when that ends, the last event is still to be seen.
  const caller = asking.keyId === subscription.keyId ? asking : await parts.access.callerNow(asking, snapshot);
  if (caller === undefined) return undefined;
  const events = await eventsIn(subscription, range, snapshot, parts);
  const ended = { isEnding: false, result: lastWords(subscription, events, limit) };
  if (subscription.cancelledReason === 'access_revoked') return ended;
  const standing = await parts.access.asOwner(subscription, snapshot, (reader) =>
    pageOf(events, limit, range.position, { subscription, reader, caller }, parts),
  );
  if (!standing.revoked) return { isEnding: false, result: standing.result };
  // One that ended for another reason stays as it is: the first reason stands, and there is nothing to show either.
  return { ...ended, isEnding: subscription.status === 'active' };
};

const lastWords = (subscription: Subscription, events: readonly OutboxEvent[], limit: number): EventPage => {
  const last = events.filter(({ type }) => type === REVOKED_EVENT).map((event) => ({ event, view: null }));
  return { subscription, shown: last.slice(0, limit + 1), total: last.length };
};

const eventsIn = async (
  { id }: Subscription,
  { afterId, sinceMs, afterSeq }: EventRange,
  snapshot: Snapshot,
  { store, nowMs, replayMs }: ReadEventsParts,
): Promise<OutboxEvent[]> => {
  const own = store.in(snapshot);
  const oldestMs = nowMs() - replayMs;
  const query = own(EVENTS)
    .where({ subscription_id: id })
    .where('created_ms', '>=', Math.max(oldestMs, sinceMs ?? 0));
  if (afterSeq !== undefined) query.where('seq', '>', afterSeq);
  if (afterId !== undefined) query.where('seq', '>', await seqOf(own, id, afterId, oldestMs));
  return ((await query.orderBy('seq')) as Record<string, SqlValue>[]).map(eventOf);
};

const seqOf = async (own: ReadableTables, id: string, eventId: string, oldestMs: number): Promise<number> => {
  const [row] = await own.select(EVENTS, { event_id: eventId, subscription_id: id });
  if (row !== undefined && Number(row['created_ms']) >= oldestMs) return Number(row['seq']);
  throw new ServiceError('event_not_found', 'the subscription has no such event, or has it no longer');
};

/** `seq` of the event of the caller's own subscription, or of its newest one when none is named. */
export const positionOf = (
  id: string,
  caller: Principal,
  eventId: string | undefined,
  { tables, store, nowMs, replayMs }: ReadEventsParts,
): Promise<number> =>
  tables.read(async (own, snapshot) => {
    await ownSubscription(store, id, caller, snapshot);
    if (eventId !== undefined) return seqOf(own, id, eventId, nowMs() - replayMs);
    const [row] = (await own(EVENTS).where({ subscription_id: id }).max({ newest: 'seq' })) as { newest: unknown }[];
    return Number(row?.newest ?? 0);
  });

interface Viewer {
  readonly subscription: Subscription;
  readonly reader: FactReader;
  readonly caller: Principal;
}

const pageOf = async (
  events: readonly OutboxEvent[],
  limit: number,
  position: number | undefined,
  { subscription, reader, caller }: Viewer,
  { access, facts }: ReadEventsParts,
): Promise<Standing<EventPage>> => {
  const judged = await access.visibleAmong(events, reader);
  if (judged.revoked) return judged;
  // The key that asks may be another of the same owner's, and narrower than the one that subscribed.
  const visible =
    caller.keyId === subscription.keyId
      ? judged.result
      : await facts.readIn(reader.snapshot, caller, 'deliver', (own) => seenBy(own, judged.result));
  const rows = visible.filter(({ seq }) => position === undefined || seq > position).slice(0, limit + 1);
  const views = await viewsOf(rows, reader);
  const shown = rows.flatMap((event): ShownEvent[] => {
    if (event.factId === null) return [{ event, view: null }];
    const view = views.get(event.factId);
    return view === undefined ? [] : [{ event, view }];
  });
  return { revoked: false, result: { subscription, shown, total: visible.length } };
};

const seenBy = async (reader: FactReader, events: readonly OutboxEvent[]): Promise<OutboxEvent[]> => {
  const ids = [
    ...new Set(events.flatMap(({ factId, witnesses }) => [...(factId === null ? [] : [factId]), ...witnesses])),
  ];
  const constraint = await reader.constraint('visible');
  const found = await reader.snapshot.outline(all(constraint, isIn('id', ids)));
  const seen = new Set(found.map(({ id }) => id));
  return events.filter(
    ({ factId, witnesses }) => (factId === null || seen.has(factId)) && witnesses.every((id) => seen.has(id)),
  );
};

const viewsOf = async (events: readonly OutboxEvent[], reader: FactReader): Promise<Map<string, FactView>> => {
  const ids = [...new Set(events.flatMap(({ factId }) => (factId === null ? [] : [factId])))];
  if (ids.length === 0) return new Map();
  const views = await reader.annotate(await reader.visible(ids));
  return new Map(views.map((view) => [view.fact.id, view]));
};
