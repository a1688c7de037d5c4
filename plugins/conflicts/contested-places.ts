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
import { CONTRADICTED, isContradicted } from './conflicts-api.ts';
import type { HeldRelations } from './held-relations.ts';
import type { LoneFacts } from './lone-facts.ts';
import { markDiffering } from './mark-elsewhere.ts';
import { NO_RIVALS, type RepliedRivals } from './replied-rivals.ts';
import { PAST_WINS, placeDigest, readTimelines, WINS } from './timeline-rows.ts';

/**
 * These functions apply the stored winners to reads. Each fact of a read costs one look-up, regardless of the number of
 * contradictions. A caller who sees one fact of a triple in a garden sees its other facts too, or they are no rivals.
 * Until the winners are computed again after a tombstone of a peer, a caller sees no winner where it hides the winner.
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
  if (asOf !== undefined) return markAsOf(views, [...places.keys()], context, relations);
  const witnesses = await witnessesOf(tables.in(snapshot), caller.tenantId, [...new Set(places.values())], nowMs);
  if (witnesses.size === 0) return undefined;
  const contested = views.filter(({ fact }) => witnesses.has(places.get(fact.id) ?? ''));
  const named = context.purpose === 'append' ? await rivals.named(contested, context, tables) : NO_RIVALS;
  const ids = contested.map(({ fact }) => fact.id);
  const asked = [...new Set([...ids, ...[...witnesses.values()].flat(), ...named.ids])];
  const found = await snapshot.outline(all(isIn('id', asked), await live()));
  const values = new Map(found.map(({ id, valueKey }) => [id, valueKey]));
  const differs = ({ fact }: FactView): boolean =>
    witnesses.get(places.get(fact.id) ?? '')?.some((id) => (values.get(id) ?? fact.valueKey) !== fact.valueKey) ??
    false;
  const alive = contested.filter(({ fact }) => values.has(fact.id));
  // The stored facts of a place may be hidden from this caller, who may still see others that differ.
  const rest = alive.filter((view) => !differs(view));
  const unnamed = rest.length === 0 ? [] : ((await markDiffering(rest, context, relations)) ?? []);
  const marked = new Set([...alive.filter(differs), ...unnamed.filter(isContradicted)].map(({ fact }) => fact.id));
  const visible = new Set(values.keys());
  return views.map((view) =>
    marked.has(view.fact.id) ? named.mark(withMark(view, CONTRADICTED, true), visible) : view,
  );
};

const placeOf = cacheByFact(placeDigest);

/** Sets `contradicted` for a past moment, by a filter on past winners. */
const markAsOf = async (
  views: readonly FactView[],
  ids: readonly string[],
  context: ReadContext,
  relations: HeldRelations,
): Promise<readonly FactView[] | undefined> => {
  const live = await context.live();
  const found = await context.snapshot.outline(all(isIn('id', ids), live, hasWinnerAt(context, [])));
  const contested = new Set(found.map(({ id }) => id));
  const differing = await markDiffering(
    views.filter(({ fact }) => contested.has(fact.id)),
    context,
    relations,
  );
  if (differing === undefined) return undefined;
  const contradicted = new Set(differing.filter(isContradicted).map(({ fact }) => fact.id));
  return views.map((view) => (contradicted.has(view.fact.id) ? withMark(view, CONTRADICTED, true) : view));
};

/**
 * Maps the digest of each contested triple to its present winners, and to two facts that differ and stay live
 * longest.
 */
const witnessesOf = async (
  tables: ReadableTables,
  tenantId: string,
  digests: readonly string[],
  nowMs: number,
): Promise<Map<string, string[]>> => {
  const witnesses = new Map<string, string[]>();
  for (const [digest, { wins, lasting, contesting }] of await readTimelines(tables, tenantId, digests)) {
    const winners = wins.filter(
      ({ fromMs, untilMs, contestedUntilMs }) => fromMs <= nowMs && untilMs > nowMs && contestedUntilMs > nowMs,
    );
    if (winners.length === 0) continue;
    witnesses.set(
      digest,
      [...winners, lasting, contesting].flatMap((fact) => fact?.id ?? []),
    );
  }
  return witnesses;
};
