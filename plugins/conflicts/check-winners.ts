import { portions, tripleId } from '../../kernel/internal-api.ts';
import {
  type Clock,
  compareHlc,
  type PluginSnapshot,
  type PluginTables,
  type ReadableTables,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { StoreCheck } from '../backup/backup-api.ts';
import type { HiddenRivals } from './hidden-rivals.ts';
import { type JudgedPlace, judgePlaces } from './live-facts.ts';
import { placeDigest, readTimelines } from './timeline-rows.ts';
import { contestedUntil, type Win, type WinnerTimeline } from './winner-timeline.ts';

/** The number of triples checked at once; each has at most `CROWD` facts. */
const TRIPLES_AT_ONCE = 25;
/**
 * The maximum number of triples remembered as checked, so that a triple with many facts is not checked for each of
 * them.
 */
const MOST_REMEMBERED = 10_000;

const HINT = 'restore a backup, unless the facts were stored while the plugin "conflicts" was off, or imported';

/** Checks that reads show the strongest fact wherever facts contradict each other. */
export const createWinnerCheck = (tables: PluginTables, clock: Clock, hiddenRivals: HiddenRivals): StoreCheck => ({
  name: 'winners',
  summary: 'where facts contradict each other, the strongest of them is the one that is shown',
  begin(report) {
    const judged = new Set<string>();
    return {
      async page({ tenantId, facts, snapshot }) {
        const places = new Map<string, StoredFact>();
        for (const fact of facts) {
          const id = tripleId(fact);
          if (!fact.system && fact.confidence > 0 && !judged.has(id)) places.set(id, fact);
        }
        for (const some of portions([...places.values()], TRIPLES_AT_ONCE)) {
          for (const { id } of await wrongPlaces(some, tables.in(snapshot), snapshot, { clock, hiddenRivals })) {
            const message = `the place of the fact ${id} does not show its strongest fact`;
            report.find({ tenantId, message, hint: HINT });
          }
        }
        if (judged.size > MOST_REMEMBERED) judged.clear();
        for (const id of places.keys()) judged.add(id);
      },
    };
  },
});

/** Returns one fact for each triple whose stored winners are wrong. Reads at least one triple of a tenant. */
const wrongPlaces = async (
  places: readonly StoredFact[],
  own: ReadableTables,
  snapshot: PluginSnapshot,
  { clock, hiddenRivals }: { readonly clock: Clock; readonly hiddenRivals: HiddenRivals },
): Promise<readonly StoredFact[]> => {
  const nowMs = clock.nowMs();
  const judged = await judgePlaces(snapshot, places, nowMs, hiddenRivals);
  const [{ tenantId }] = places as [StoredFact, ...StoredFact[]];
  const stored = await readTimelines(own, tenantId, places.map(placeDigest));
  return places.filter((place, at) => !isRight(judged[at] as JudgedPlace, stored.get(placeDigest(place)), nowMs));
};

const isRight = (
  { facts, isCut, timeline }: JudgedPlace,
  stored: WinnerTimeline | undefined,
  nowMs: number,
): boolean => {
  // Erased facts have no value left to compare.
  if (facts.some(({ cid }) => cid === '')) return true;
  const isContested = contestedUntil(timeline) > nowMs;
  const isKnown = stored !== undefined && contestedUntil(stored) > nowMs;
  // Some facts of a crowd were not read, and one of them may have the other value.
  if (isContested !== isKnown) return isCut && isKnown;
  if (stored === undefined || !isContested || stored.knownUntilMs <= nowMs) return true;
  const [should, are] = [winners(timeline, nowMs), winners(stored, nowMs)];
  const hasAll = (some: readonly Win[], others: readonly Win[]): boolean =>
    some.every((one) => others.some((other) => isSame(one, other)));
  const isThere = ({ id, valueKey }: Win): boolean =>
    facts.some((fact) => fact.id === id && fact.valueKey === valueKey);
  return hasAll(should, are) && hasAll(are, should) && are.every(isThere);
};

const winners = ({ wins }: WinnerTimeline, nowMs: number): readonly Win[] =>
  wins.filter(({ fromMs, untilMs }) => fromMs <= nowMs && untilMs > nowMs);

/** Compares two wins without their fact ids, because equally strong facts may have the same value. */
const isSame = (one: Win, other: Win): boolean =>
  one.valueKey === other.valueKey && one.confidence === other.confidence && compareHlc(one.hlc, other.hlc) === 0;
