import {
  type ColumnCondition,
  cacheByFact,
  inPastTable,
  type ReadMoment,
  recordedBy,
  SAME_PLACE,
} from '../../kernel/internal-api.ts';
import {
  above,
  all,
  any,
  type ColumnMatch,
  type FactView,
  type Filter,
  isIn,
  not,
  type PluginTables,
  type ReadableTables,
  type ReadContext,
  withMark,
} from '../../kernel/plugin-api.ts';
import { CONTRADICTED } from './conflicts-api.ts';
import type { HeldRelations } from './held-relations.ts';
import type { LoneFacts } from './lone-facts.ts';
import { markDiffering } from './mark-elsewhere.ts';
import { NO_RIVALS, type RepliedRivals } from './replied-rivals.ts';
import { PAST_WINS, placeDigest, readTimelines, WINS } from './timeline-rows.ts';

/**
 * These functions apply the stored winners to reads. Each fact of a read costs one look-up, regardless of the number of
 * contradictions. All callers who see one fact of a triple in a garden see its other facts too. If a plugin hides the
 * winner from a caller, that caller sees no winner.
 */

/**
 * Hides facts that are weaker than the winner of their triple. A read with `valid_at` chooses no winner, and shows
 * every fact that was valid.
 */
export const hideLosers = async (context: ReadContext, relations: HeldRelations): Promise<Filter | undefined> => {
  const { include, isValidity, caller, asOf } = context;
  if (include.contradicted || isValidity === true) return undefined;
  const live = await context.live();
  const hasWinner = (...matches: readonly ColumnMatch[]): Filter => hasWinnerAt(context, matches);
  const hasLiveWinner = (...matches: readonly ColumnMatch[]): Filter => hasWinnerAt(context, matches, live);
  // The winner must be stronger than the fact. Otherwise outdated rows could hide newer facts after the plugin was off.
  const isWeaker = any(hasLiveWinner(SURER), hasLiveWinner(AS_SURE, NEWER));
  // Only a live fact can be hidden. By default a query shows live facts and retractions.
  const mayLose = include.expired || include.retracted ? live : above('confidence', 0);
  // The conditions are ordered by cost: the first excludes nearly every fact, the second excludes the winners.
  const { many } = relations.at(caller.tenantId, asOf);
  const holdsOne = many === undefined ? [] : [not(many)];
  return not(all(...holdsOne, hasWinner(), not(hasWinner(SAME_VALUE)), isWeaker, mayLose));
};

/** Matches facts whose triple has a winner, at the moment of the read, that fulfils `matches` and `whereFact`. */
const hasWinnerAt = (moment: ReadMoment, matches: readonly ColumnMatch[], whereFact?: Filter): Filter => {
  const { nowMs, asOf } = moment;
  const named = whereFact === undefined ? {} : { whereFact };
  const isWinning: readonly ColumnCondition[] = [
    { column: 'from_ms', below: nowMs + 1 },
    { column: 'until_ms', above: nowMs },
    { column: 'contested_until_ms', above: nowMs },
  ];
  const match = [...SAME_PLACE, ...matches];
  if (asOf === undefined) return { kind: 'inTable', table: WINS, match, where: isWinning, ...named };
  return any(
    { kind: 'inTable', table: WINS, match, where: [...isWinning, recordedBy(asOf)], ...named },
    { ...inPastTable(PAST_WINS, asOf, SAME_PLACE, isWinning, matches), ...named },
  );
};

const SAME_VALUE: ColumnMatch = { column: 'value_key', is: 'equal', field: 'valueKey' };
const SURER: ColumnMatch = { column: 'confidence', is: 'above', field: 'confidence' };
const AS_SURE: ColumnMatch = { column: 'confidence', is: 'equal', field: 'confidence' };
const NEWER: ColumnMatch = { column: 'hlc', is: 'above', field: 'hlc' };

export interface MarkParts {
  readonly tables: PluginTables;
  readonly alone: LoneFacts;
  readonly relations: HeldRelations;
  readonly rivals: RepliedRivals;
}

/** Sets `contradicted` on each live fact that another live fact of its triple and garden contradicts. */
export const markContradicted = async (
  views: readonly FactView[],
  context: ReadContext,
  { tables, alone, relations, rivals }: MarkParts,
): Promise<readonly FactView[] | undefined> => {
  const { caller, snapshot, nowMs, live, asOf } = context;
  if (context.isValidity === true) return markDiffering(views, context, relations);
  const verdicts = relations.at(caller.tenantId, asOf);
  const known = alone.idsIn(snapshot);
  const places = new Map<string, string>();
  for (const { fact } of views) {
    if (!fact.system && !known.has(fact.id) && !verdicts.holdsMany(fact.relationKey))
      places.set(fact.id, placeOf(fact));
  }
  if (places.size === 0) return undefined;
  if (asOf !== undefined) return markAsOf(views, [...places.keys()], context);
  const rulers = await rulersOf(tables.in(snapshot), caller.tenantId, [...new Set(places.values())], nowMs);
  if (rulers.size === 0) return undefined;
  const ids = [...places].flatMap(([id, place]) => (rulers.has(place) ? [id] : []));
  const contested = views.filter(({ fact }) => rulers.has(places.get(fact.id) ?? ''));
  const named = context.purpose === 'append' ? await rivals.named(contested, context, tables) : NO_RIVALS;
  const asked = [...new Set([...ids, ...[...rulers.values()].flat(), ...named.ids])];
  const found = await snapshot.outline(all(isIn('id', asked), await live()));
  const alive = new Set(found.map(({ id }) => id));
  const isContradicted = (id: string): boolean =>
    alive.has(id) && (rulers.get(places.get(id) ?? '')?.some((ruler) => alive.has(ruler)) ?? false);
  return views.map((view) =>
    isContradicted(view.fact.id) ? named.mark(withMark(view, CONTRADICTED, true), alive) : view,
  );
};

const placeOf = cacheByFact(placeDigest);

/** Sets `contradicted` for a past moment, by a filter on past winners. */
const markAsOf = async (
  views: readonly FactView[],
  ids: readonly string[],
  context: ReadContext,
): Promise<readonly FactView[] | undefined> => {
  const live = await context.live();
  const found = await context.snapshot.outline(all(isIn('id', ids), live, hasWinnerAt(context, [], live)));
  if (found.length === 0) return undefined;
  const contradicted = new Set(found.map(({ id }) => id));
  return views.map((view) => (contradicted.has(view.fact.id) ? withMark(view, CONTRADICTED, true) : view));
};

/**
 * Returns the ids of the winners of the triples that have contradicting live facts now, by the digest of the triple.
 */
const rulersOf = async (
  tables: ReadableTables,
  tenantId: string,
  digests: readonly string[],
  nowMs: number,
): Promise<Map<string, string[]>> => {
  const rulers = new Map<string, string[]>();
  for (const [digest, timeline] of await readTimelines(tables, tenantId, digests)) {
    const own = timeline.wins.filter(
      ({ fromMs, untilMs, contestedUntilMs }) => fromMs <= nowMs && untilMs > nowMs && contestedUntilMs > nowMs,
    );
    if (own.length > 0) {
      rulers.set(
        digest,
        own.map(({ id }) => id),
      );
    }
  }
  return rulers;
};
