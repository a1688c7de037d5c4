import {
  all,
  type FactReader,
  type Facts,
  isIn,
  type PluginSnapshot,
  type PluginTables,
  type Principal,
  readVisiblePage,
} from '../../kernel/plugin-api.ts';
import { type AccessCheck, mayReadPlace, type Standing } from './access-check.ts';
import type { OutboxEvent } from './event-row.ts';
import { type EventRange, EventWindow, type PlaceCount, seqOf } from './event-window.ts';
import { ownSubscription } from './own-subscription.ts';
import type { Subscription } from './subscription-record.ts';
import { EVENTS, type SubscriptionStore, whereOf } from './subscription-store.ts';
import type { ShownEvent } from './subscriptions-api.ts';

export interface ReadEventsParts {
  readonly tables: PluginTables;
  readonly facts: Facts;
  readonly access: AccessCheck;
  readonly store: SubscriptionStore;
  nowMs(): number;
  readonly replayMs: number;
}

/** A page before it is cut to its limit. */
export interface FoundEvents {
  readonly subscription: Subscription;
  /** Ascending; one more than the limit when there are more. */
  readonly shown: readonly ShownEvent[];
  /** Whether more follow although `shown` ends here, because the facts of those leave no more room. */
  readonly more: boolean;
  /** Matches over all pages, in the places that the caller may read. */
  readonly total: number;
}

/**
 * Events as their owner may see them now: the rights of the subscription, of each event, and of the key that asks, all
 * on one snapshot. When a right is gone the subscription ends, and its last event is all that is left to be seen.
 * Undefined for a caller whose own key is no longer good.
 */
export const readEvents = async (
  id: string,
  caller: Principal,
  range: EventRange,
  limit: number,
  parts: ReadEventsParts,
): Promise<FoundEvents | undefined> => {
  const look = (): Promise<Look | undefined> =>
    parts.tables.read((_, snapshot) => lookAt(id, caller, range, limit, snapshot, parts));
  const page = await look();
  if (!page?.isEnding) return page?.result;
  await parts.store.revoke(page.result.subscription);
  // A position from before the end is good for what came after it. Looked at once more only: nobody waits for a race of
  // others to end.
  return (await look())?.result;
};

interface Look {
  /** Whether a right is gone and the subscription is to be ended for it. */
  readonly isEnding: boolean;
  readonly result: FoundEvents;
}

const lookAt = async (
  id: string,
  asking: Principal,
  range: EventRange,
  limit: number,
  snapshot: PluginSnapshot,
  parts: ReadEventsParts,
): Promise<Look | undefined> => {
  const subscription = await ownSubscription(parts.store, id, asking, snapshot);
  // The key of the subscription itself is judged with it: when that ends, the last event is still to be seen.
  const caller = asking.keyId === subscription.keyId ? asking : await parts.access.callerNow(asking, snapshot);
  if (caller === undefined) return undefined;
  const oldestMs = parts.nowMs() - parts.replayMs;
  const window = await EventWindow.open(parts.store.in(snapshot), subscription, range, oldestMs);
  const ended = async () => ({ isEnding: false, result: await lastWords(subscription, window) });
  if (subscription.cancelledReason === 'access_revoked') return ended();
  const standing = await parts.access.asOwner(subscription, snapshot, (reader) =>
    pageOf({ window, position: range.position ?? 0, limit }, { subscription, reader, caller }, parts),
  );
  if (!standing.revoked) return { isEnding: false, result: standing.result };
  // One that ended for another reason stays as it is: the first reason stands, and there is nothing to show either.
  return { ...(await ended()), isEnding: subscription.status === 'active' };
};

const lastWords = async (subscription: Subscription, window: EventWindow): Promise<FoundEvents> => {
  const last = await window.lastWords();
  return { subscription, shown: last.map((event) => ({ event, view: null })), more: false, total: last.length };
};

/** `seq` of the event of the caller's own subscription, or of its newest one when none is named. */
export const positionOf = (
  id: string,
  caller: Principal,
  eventId: string | undefined,
  { tables, store, nowMs, replayMs }: ReadEventsParts,
): Promise<number> =>
  tables.read(async (own, snapshot) => {
    const subscription = await ownSubscription(store, id, caller, snapshot);
    if (eventId !== undefined) return seqOf(own, subscription, eventId, nowMs() - replayMs);
    const [row] = (await own(EVENTS).where(whereOf(subscription)).max({ newest: 'seq' })) as { newest: unknown }[];
    return Number(row?.newest ?? 0);
  });

interface Viewer {
  readonly subscription: Subscription;
  readonly reader: FactReader;
  readonly caller: Principal;
}

interface PageQuery {
  readonly window: EventWindow;
  readonly position: number;
  readonly limit: number;
}

const pageOf = async (
  query: PageQuery,
  { subscription, reader, caller }: Viewer,
  { access, facts }: ReadEventsParts,
): Promise<Standing<FoundEvents>> => {
  const counts = await query.window.counts();
  if (counts.some((place) => !isReadable(place, reader))) return { revoked: true };
  const page = async (asking: FactReader): Promise<Standing<FoundEvents>> => {
    const visible = await visibleAfter(query, reader, asking, access);
    if (visible.revoked) return visible;
    const { shown, more } = await shownOf(visible.result, reader);
    const total = counts.reduce((sum, place) => sum + (isReadable(place, asking) ? place.count : 0), 0);
    return { revoked: false, result: { subscription, shown, more, total } };
  };
  // The key that asks may be another of the same owner's, and narrower than the one that subscribed.
  return caller.keyId === subscription.keyId ? page(reader) : facts.readIn(reader.snapshot, caller, 'deliver', page);
};

const isReadable = ({ scope, gardenId }: PlaceCount, reader: FactReader): boolean =>
  scope === null || mayReadPlace({ scope, gardenId }, reader);

/** The page, and one event more if there is one. Events whose facts were hidden since are rare, and read past. */
const visibleAfter = async (
  { window, position, limit }: PageQuery,
  reader: FactReader,
  asking: FactReader,
  access: AccessCheck,
): Promise<Standing<OutboxEvent[]>> => {
  const visible: OutboxEvent[] = [];
  for (let from = position; ; ) {
    const events = await window.after(from, limit + 1, asking);
    const judged = await access.visibleAmong(events, reader);
    if (judged.revoked) return judged;
    visible.push(...(asking === reader ? judged.result : await seenBy(asking, judged.result)));
    const last = events.at(-1);
    if (last === undefined || events.length <= limit || visible.length > limit) {
      return { revoked: false, result: visible.slice(0, limit + 1) };
    }
    from = last.seq;
  }
};

const shownOf = async (
  events: readonly OutboxEvent[],
  reader: FactReader,
): Promise<Pick<FoundEvents, 'shown' | 'more'>> => {
  const ids = events.flatMap(({ factId }) => (factId === null ? [] : [factId]));
  const { facts, beyond } = await readVisiblePage(reader, ids);
  const views = new Map((await reader.annotate(facts)).map((view) => [view.fact.id, view]));
  const end = events.findIndex(({ factId }) => factId !== null && beyond.has(factId));
  const shown = (end < 0 ? events : events.slice(0, end)).flatMap((event): ShownEvent[] => {
    if (event.factId === null) return [{ event, view: null }];
    const view = views.get(event.factId);
    return view === undefined ? [] : [{ event, view }];
  });
  return { shown, more: end >= 0 };
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
