import { type Cover, type Expiry, endsFact } from '../../../kernel/internal-api.ts';
import { compareHlc, type FactOutline, type Hlc } from '../../../kernel/plugin-api.ts';

/** How the life of a fact ended. */
export interface FactEnd {
  readonly at: Hlc;
  readonly by: Cover['kind'] | 'valid_until' | 'ttl';
  /** The fact that ended it. Null for an expiry. */
  readonly factId: string | null;
}

/** The time during which a fact was live, by the record time of this node. */
export interface FactLife {
  readonly fact: FactOutline;
  /** Null while the fact has no end. The end may be in the future. */
  readonly end: FactEnd | null;
  /** True if the fact was ever live: it asserts something, and its end does not precede its start. */
  readonly hasLived: boolean;
}

/**
 * The maximum number of listed winners of an exact tie. Other nodes can send very many tied facts, and each would begin
 * another period.
 */
export const MOST_TIED = 16;

/** The winner of one triple and place during a span of time. */
export interface WinningPeriod {
  /** Ids of the winners: several for an exact tie, at most `MOST_TIED`. */
  readonly factIds: readonly string[];
  readonly from: Hlc;
  /** Null for the present winner. */
  readonly until: Hlc | null;
}

/**
 * Returns the lives of all facts of one triple and place. A cover ends its facts below its stamp at the moment of its
 * record. A time-to-live ends a fact when it has passed, but not before it was set. The newest time-to-live counts.
 */
export const livesOf = (
  facts: readonly FactOutline[],
  covers: readonly Cover[],
  expiries: readonly Expiry[],
): FactLife[] => {
  const ttls = new Map<string, Expiry>();
  for (const expiry of expiries) {
    const known = ttls.get(expiry.factId);
    if (known === undefined || compareHlc(known.hlc, expiry.hlc) < 0) ttls.set(expiry.factId, expiry);
  }
  return facts.map((fact) => {
    const end = firstEnd([...coverEnds(fact, covers), ...ownEnds(fact, ttls.get(fact.id))]);
    const hasLived = fact.confidence > 0 && (end === null || compareHlc(end.at, fact.feed) > 0);
    return { fact, end: fact.confidence > 0 ? end : null, hasLived };
  });
};

const coverEnds = (fact: FactOutline, covers: readonly Cover[]): FactEnd[] =>
  covers.filter((cover) => endsFact(cover, fact)).map(({ since, kind, factId }) => ({ at: since, by: kind, factId }));

const ownEnds = ({ validUntilMs }: FactOutline, ttl: Expiry | undefined): FactEnd[] => [
  ...(validUntilMs === null ? [] : [{ at: startOf(validUntilMs), by: 'valid_until' as const, factId: null }]),
  ...(ttl === undefined ? [] : [{ at: later(startOf(ttl.expiresMs), ttl.since), by: 'ttl' as const, factId: null }]),
];

const startOf = (wallMs: number): Hlc => ({ wallMs, counter: 0 });
const later = (a: Hlc, b: Hlc): Hlc => (compareHlc(a, b) < 0 ? b : a);

const firstEnd = (ends: readonly FactEnd[]): FactEnd | null =>
  ends.reduce<FactEnd | null>((first, end) => (first === null || compareHlc(end.at, first.at) < 0 ? end : first), null);

/** Returns true if the fact is live at this moment. */
export const isLiveAt = ({ fact, end, hasLived }: FactLife, at: Hlc): boolean =>
  hasLived && compareHlc(fact.feed, at) <= 0 && (end === null || compareHlc(end.at, at) > 0);

/** Returns the winners of one triple and place up to now, in order of time. Leaves out times without a live fact. */
export const winningPeriods = (lives: readonly FactLife[], nowMs: number): WinningPeriod[] => {
  const known = lives.filter(({ hasLived }) => hasLived);
  const moments = known
    .flatMap(({ fact, end }) => (end === null || end.at.wallMs > nowMs ? [fact.feed] : [fact.feed, end.at]))
    .sort(compareHlc);
  const periods: { factIds: readonly string[]; from: Hlc; until: Hlc | null }[] = [];
  for (const [at, moment] of moments.entries()) {
    const next = moments[at + 1];
    if (next !== undefined && compareHlc(next, moment) === 0) continue;
    const factIds = winnersAmong(known.filter((life) => isLiveAt(life, moment)));
    const last = periods.at(-1);
    if (last !== undefined && last.until === null) {
      if (last.factIds.join() === factIds.join()) continue;
      last.until = moment;
    }
    if (factIds.length > 0) periods.push({ factIds, from: moment, until: null });
  }
  return periods;
};

/**
 * Returns the fact with the highest confidence, then the highest stamp. Of an exact tie, returns the lowest ids. One
 * pass without sorting, because lists may be long.
 */
const winnersAmong = (lives: readonly FactLife[]): string[] => {
  let winners: FactOutline[] = [];
  for (const { fact } of lives) {
    const [first] = winners;
    const order = first === undefined ? -1 : first.confidence - fact.confidence || compareHlc(first.hlc, fact.hlc);
    if (order < 0) winners = [fact];
    else if (order === 0) winners.push(fact);
  }
  return winners
    .map(({ id }) => id)
    .sort()
    .slice(0, MOST_TIED);
};
