import type { FactClient, HistoryPage } from '../../../../../client/client.ts';
import { nowMs } from '../../kit/platform.ts';

/** The maximum number of steps of the slider, so that each can be hit. */
const MOST_EVENTS = 1_000;
const PAGE_EVENTS = 200;

type HistoryEvent = HistoryPage['events'][number];

/** A moment at which a fact about an entity was stored or ended. */
export interface Moment {
  /** The parameter of the request to the node. */
  readonly asOf: string;
  readonly ms: number;
  readonly what: HistoryEvent['event'] | 'expired';
  readonly relation: string;
}

export interface Moments {
  /** The moments of change, earliest first. */
  readonly steps: readonly Moment[];
  /** True if there are later moments that were not read. */
  readonly isCut: boolean;
}

/** The moments at which the answer about an entity changed. */
export const readMoments = async (client: FactClient, uri: string, signal: AbortSignal): Promise<Moments> => {
  const query = { limit: PAGE_EVENTS, fields: 'id,relation' };
  const events = await client.history(uri, query, { signal }).take(MOST_EVENTS);
  const now = nowMs();
  const steps = events.flatMap((event) => [momentOf(event), ...expiryOf(event, now)]);
  return { steps: steps.sort((a, b) => a.ms - b.ms), isCut: events.length === MOST_EVENTS };
};

const momentOf = ({ stamp, recorded_at: at, event, fact }: HistoryEvent): Moment => ({
  asOf: stamp,
  ms: Date.parse(at),
  what: event,
  relation: fact.relation,
});

/** Returns the expiry of a fact, which is not an event of its history. */
const expiryOf = ({ ended, fact }: HistoryEvent, now: number): readonly Moment[] => {
  if (ended === null || !EXPIRIES.has(ended.by)) return [];
  const ms = Date.parse(ended.at);
  if (Number.isNaN(ms) || ms >= now) return [];
  return [{ asOf: new Date(ms).toISOString(), ms, what: 'expired', relation: fact.relation }];
};

const EXPIRIES: ReadonlySet<string> = new Set(['valid_until', 'ttl']);

const STAMP = /^(\d{1,15})\.\d{1,10}$/;

/** Returns the instant of an `as_of` parameter in milliseconds; a stamp begins with it. Undefined for other text. */
export const msOf = (asOf: string): number | undefined => {
  const stamp = STAMP.exec(asOf);
  const ms = stamp === null ? Date.parse(asOf) : Number(stamp[1]);
  return Number.isNaN(ms) ? undefined : ms;
};

/** Returns the index of the last step at or before a moment; -1 before all of them. */
export const stepOf = (steps: readonly Moment[], asOf: string): number => {
  const exact = steps.findIndex((step) => step.asOf === asOf);
  const ms = msOf(asOf) ?? 0;
  return exact >= 0 ? exact : steps.findLastIndex((step) => step.ms <= ms);
};
