import {
  above,
  all,
  type Clock,
  compareHlc,
  equals,
  type FactOutline,
  type PluginSnapshot,
  type PluginTables,
  type ReadableTables,
  tripleId,
} from '../../kernel/plugin-api.ts';
import { ofPage, type StoreCheck, walkLedgers } from '../backup/backup-api.ts';
import { CROWD, type Judged, judgePlaces } from './live-facts.ts';
import { contestedUntil, type Reign, type Standing } from './standing.ts';
import { placeDigest, readStandings } from './standing-rows.ts';

/** Places that are judged at once: each has up to `CROWD` facts. */
const PLACES = 25;
/** Places that are remembered as judged, so that one with many facts is not judged for each of them. */
const REMEMBERED = 10_000;

const HINT = 'restore a backup, unless the facts were stored while the plugin "conflicts" was off, or imported';

/** Whether the facts that are shown where facts contradict each other are those that should be. */
export const createWinnerCheck = (tables: PluginTables, clock: Clock): StoreCheck => ({
  name: 'winners',
  summary: 'where facts contradict each other, the strongest of them is the one that is shown',
  async run(report) {
    const judged = new Set<string>();
    await walkLedgers(tables, report, async (page, own, snapshot) => {
      const facts = await snapshot.outline(all(ofPage(page), equals('system', false), above('confidence', 0)));
      const places = new Map(facts.map((fact) => [tripleId(fact), fact]));
      const fresh = [...places].flatMap(([id, place]) => (judged.has(id) ? [] : [place]));
      for (let at = 0; at < fresh.length; at += PLACES) {
        for (const { id } of await wrongPlaces(fresh.slice(at, at + PLACES), own, snapshot, clock)) {
          const message = `the place of the fact ${id} does not show its strongest fact`;
          report.find({ tenantId: page.tenantId, message, hint: HINT });
        }
      }
      if (judged.size > REMEMBERED) judged.clear();
      for (const id of places.keys()) judged.add(id);
    });
  },
});

/** A fact of each place that shows others than it should. */
const wrongPlaces = async (
  places: readonly FactOutline[],
  own: ReadableTables,
  snapshot: PluginSnapshot,
  clock: Clock,
): Promise<readonly FactOutline[]> => {
  const nowMs = clock.nowMs();
  const judged = await judgePlaces(snapshot, places, nowMs);
  const stored = await readStandings(own, places.map(placeDigest));
  return places.filter((place, at) => !isRight(judged[at] as Judged, stored.get(placeDigest(place)), nowMs));
};

const isRight = ({ facts, standing }: Judged, stored: Standing | undefined, nowMs: number): boolean => {
  // Erased facts have no value any more that could differ from others.
  if (facts.some(({ cid }) => cid === '')) return true;
  const isContested = contestedUntil(standing) > nowMs;
  const isKnown = stored !== undefined && contestedUntil(stored) > nowMs;
  // The rivals may be among the facts that are too many to be read.
  if (isContested !== isKnown) return facts.length >= CROWD && isKnown;
  if (stored === undefined || !isContested || stored.knownUntilMs <= nowMs) return true;
  const [should, are] = [winners(standing, nowMs), winners(stored, nowMs)];
  const hasAll = (some: readonly Reign[], others: readonly Reign[]): boolean =>
    some.every((one) => others.some((other) => isSame(one, other)));
  const isThere = ({ id, valueKey }: Reign): boolean =>
    facts.some((fact) => fact.id === id && fact.valueKey === valueKey);
  return hasAll(should, are) && hasAll(are, should) && are.every(isThere);
};

const winners = ({ reigns }: Standing, nowMs: number): readonly Reign[] =>
  reigns.filter(({ fromMs, untilMs }) => fromMs <= nowMs && untilMs > nowMs);

/** Which one of facts that are exactly as strong stands for a value does not matter. */
const isSame = (one: Reign, other: Reign): boolean =>
  one.valueKey === other.valueKey && one.confidence === other.confidence && compareHlc(one.hlc, other.hlc) === 0;
