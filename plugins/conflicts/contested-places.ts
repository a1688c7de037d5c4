import {
  above,
  all,
  any,
  type ColumnCondition,
  type ColumnMatch,
  type FactView,
  type Filter,
  inPastTable,
  isIn,
  keptWithFact,
  not,
  type PluginTables,
  type ReadableTables,
  type ReadContext,
  type ReadMoment,
  recordedBy,
  SAME_PLACE,
  withMark,
} from '../../kernel/plugin-api.ts';
import type { AloneInTransaction } from './alone-in-transaction.ts';
import { CONTRADICTED } from './conflicts-api.ts';
import { markDiffering } from './mark-elsewhere.ts';
import { contestedUntil } from './standing.ts';
import { PAST_REIGNS, placeDigest, REIGNS, readStandings } from './standing-rows.ts';

/**
 * What is stored about who reigns, as part of a read. It is one look-up for each fact that the read comes by, whatever
 * else is contested. All facts of a place are seen by the same callers; where a plugin hides one that reigns from some
 * of them, it counts as if nobody reigned.
 */

/**
 * Hides the facts that lose in their place, whatever else the query asks for. A read about validity chooses no winner:
 * it shows all that was valid.
 */
export const hideLosers = async (context: ReadContext): Promise<Filter | undefined> => {
  const { include, isValidity } = context;
  if (include.contradicted || isValidity === true) return undefined;
  const live = await context.live();
  const reigns = (...matches: readonly ColumnMatch[]): Filter => reignsAt(context, matches);
  const reignsLive = (...matches: readonly ColumnMatch[]): Filter => reignsAt(context, matches, live);
  // Who reigns must be stronger, so that rows which nobody kept while the plugin was off hide nothing that they do not
  // know of.
  const isWeaker = any(reignsLive(SURER), reignsLive(AS_SURE, NEWER));
  // Only a live fact can lose. What a query shows by default is live, or a retraction.
  const mayLose = include.expired || include.retracted ? live : above('confidence', 0);
  // Nearly every fact is done with after the first of these questions, and a winner after the second.
  return not(all(reigns(), not(reigns(SAME_VALUE)), isWeaker, mayLose));
};

/** Somebody reigns in the place of the fact at the moment of the read, with these matches besides. */
const reignsAt = (moment: ReadMoment, matches: readonly ColumnMatch[], whereFact?: Filter): Filter => {
  const { nowMs, asOf } = moment;
  const named = whereFact === undefined ? {} : { whereFact };
  const reigning: readonly ColumnCondition[] = [
    { column: 'from_ms', below: nowMs + 1 },
    { column: 'until_ms', above: nowMs },
    { column: 'contested_until_ms', above: nowMs },
  ];
  const match = [...SAME_PLACE, ...matches];
  if (asOf === undefined) return { kind: 'inTable', table: REIGNS, match, where: reigning, ...named };
  return any(
    { kind: 'inTable', table: REIGNS, match, where: [...reigning, recordedBy(asOf)], ...named },
    { ...inPastTable(PAST_REIGNS, asOf, SAME_PLACE, reigning, matches), ...named },
  );
};

const SAME_VALUE: ColumnMatch = { column: 'value_key', is: 'equal', field: 'valueKey' };
const SURER: ColumnMatch = { column: 'confidence', is: 'above', field: 'confidence' };
const AS_SURE: ColumnMatch = { column: 'confidence', is: 'equal', field: 'confidence' };
const NEWER: ColumnMatch = { column: 'hlc', is: 'above', field: 'hlc' };

/** Sets `contradicted` on each fact that is live and has a live rival in its place. */
export const markContradicted = async (
  views: readonly FactView[],
  context: ReadContext,
  tables: PluginTables,
  alone: AloneInTransaction,
): Promise<readonly FactView[] | undefined> => {
  const { snapshot, nowMs, live, asOf } = context;
  if (context.isValidity === true) return markDiffering(views, context);
  const known = alone.idsIn(snapshot);
  const places = new Map<string, string>();
  for (const { fact } of views) {
    if (!fact.system && !known.has(fact.id)) places.set(fact.id, placeOf(fact));
  }
  if (places.size === 0) return undefined;
  if (asOf !== undefined) return markAsOf(views, [...places.keys()], context);
  const rulers = await rulersOf(tables.in(snapshot), [...new Set(places.values())], nowMs);
  if (rulers.size === 0) return undefined;
  const ids = [...places].flatMap(([id, place]) => (rulers.has(place) ? [id] : []));
  const asked = [...new Set([...ids, ...[...rulers.values()].flat()])];
  const found = await snapshot.outline(all(isIn('id', asked), await live()));
  const alive = new Set(found.map(({ id }) => id));
  const isContradicted = (id: string): boolean =>
    alive.has(id) && (rulers.get(places.get(id) ?? '')?.some((ruler) => alive.has(ruler)) ?? false);
  return views.map((view) => (isContradicted(view.fact.id) ? withMark(view, CONTRADICTED, true) : view));
};

const placeOf = keptWithFact(placeDigest);

/** The same as of an earlier moment, which a filter finds in the reigns that have passed. */
const markAsOf = async (
  views: readonly FactView[],
  ids: readonly string[],
  context: ReadContext,
): Promise<readonly FactView[] | undefined> => {
  const live = await context.live();
  const found = await context.snapshot.outline(all(isIn('id', ids), live, reignsAt(context, [], live)));
  if (found.length === 0) return undefined;
  const contradicted = new Set(found.map(({ id }) => id));
  return views.map((view) => (contradicted.has(view.fact.id) ? withMark(view, CONTRADICTED, true) : view));
};

/** Facts that reign in places that are contested now, by the digest of the place. */
const rulersOf = async (
  tables: ReadableTables,
  digests: readonly string[],
  nowMs: number,
): Promise<Map<string, string[]>> => {
  const rulers = new Map<string, string[]>();
  for (const [digest, standing] of await readStandings(tables, digests)) {
    if (contestedUntil(standing) <= nowMs) continue;
    const own = standing.reigns.filter(({ fromMs, untilMs }) => fromMs <= nowMs && untilMs > nowMs);
    if (own.length > 0) {
      rulers.set(
        digest,
        own.map(({ id }) => id),
      );
    }
  }
  return rulers;
};
