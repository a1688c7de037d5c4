import { readVisiblePage } from '../../kernel/internal-api.ts';
import {
  all,
  type FactReader,
  type Facts,
  isIn,
  type PluginSnapshot,
  type PluginTables,
  type Principal,
} from '../../kernel/plugin-api.ts';
import { type AccessCheck, mayReadPlace, type RightsResult } from './access-check.ts';
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

/** The events found for a page, before they are cut to its limit. */
export interface FoundEvents {
  readonly subscription: Subscription;
  /** The events, ascending; with one event beyond the limit if there are more. */
  readonly shown: readonly ShownEvent[];
  /** True if more events follow although `shown` ends here, because their facts would exceed the byte limit. */
  readonly more: boolean;
  /** The number of matches on all pages, in scopes and gardens that the caller may read. */
  readonly total: number;
}

/**
 * Reads events as their owner may see them now. One snapshot serves the checks of the subscription, of each event and
 * of the calling key. If a right no longer exists, the subscription ends, and only its terminal event is shown. Returns
 * undefined for a caller whose own key is no longer valid.
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
  // A position from before the subscription ended still finds the terminal event. Retries only once, so that concurrent
  // changes cannot delay the caller for long.
  return (await look())?.result;
};

interface Look {
  /** True if a right no longer exists, so that the subscription must end. */
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
  // The subscription's own key needs no second check: if it is invalid, the terminal event is still shown.
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
  // A subscription that ended for another reason has no terminal event, and keeps its stored reason.
  return { ...(await ended()), isEnding: subscription.status === 'active' };
};

const lastWords = async (subscription: Subscription, window: EventWindow): Promise<FoundEvents> => {
  const last = await window.lastWords();
  return { subscription, shown: last.map((event) => ({ event, view: null })), more: false, total: last.length };
};

/** Returns the `seq` of a named event of the caller's own subscription, or of its newest event. */
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
): Promise<RightsResult<FoundEvents>> => {
  const counts = await query.window.counts();
  if (counts.some((place) => !isReadable(place, reader))) return { revoked: true };
  const page = async (asking: FactReader): Promise<RightsResult<FoundEvents>> => {
    const visible = await visibleAfter(query, reader, asking, access);
    if (visible.revoked) return visible;
    const { shown, more } = await shownOf(visible.result, reader);
    const total = counts.reduce((sum, place) => sum + (isReadable(place, asking) ? place.count : 0), 0);
    return { revoked: false, result: { subscription, shown, more, total } };
  };
  // The calling key may be another one of the same owner, with narrower rights.
  return caller.keyId === subscription.keyId ? page(reader) : facts.readIn(reader.snapshot, caller, 'deliver', page);
};

const isReadable = ({ scope, gardenId }: PlaceCount, reader: FactReader): boolean =>
  scope === null || mayReadPlace({ scope, gardenId }, reader);

/** Reads the page and one further event, if any. Hidden events are rare; it reads on to replace them. */
const visibleAfter = async (
  { window, position, limit }: PageQuery,
  reader: FactReader,
  asking: FactReader,
  access: AccessCheck,
): Promise<RightsResult<OutboxEvent[]>> => {
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
