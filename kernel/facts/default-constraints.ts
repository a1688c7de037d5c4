import {
  above,
  all,
  any,
  below,
  type ColumnCondition,
  type ColumnMatch,
  type Cover,
  constantFilter,
  equals,
  type Filter,
  type Hlc,
  inTable,
  isIn,
  isNull,
  not,
  type Principal,
} from '../../ports/ports.ts';
import { compareHlc } from '../time/hybrid-logical-clock.ts';
import { lastStampOf, type ReadMoment, stampAfter } from './read-moment.ts';
import type { ReadContext } from './reader-api.ts';

/**
 * Constraints of every read (docs/concepts/scopes-and-rights.md). Plugins can only narrow them further, so disabling
 * one never widens a view.
 */

type Gardens = ReadContext['gardens'];

/** Joins a row that names a triple to the facts of that triple, in all places. */
export const SAME_TRIPLE: readonly ColumnMatch[] = [
  { column: 'tenant_id', is: 'equal', field: 'tenantId' },
  { column: 'entity_key', is: 'equal', field: 'entityKey' },
  { column: 'relation_key', is: 'equal', field: 'relationKey' },
  { column: 'scope', is: 'equal', field: 'scope' },
];

/** Joins a row that names a triple and a place to the facts of both. `place` is a garden, or an empty text. */
export const SAME_PLACE: readonly ColumnMatch[] = [...SAME_TRIPLE, { column: 'place', is: 'equal', field: 'place' }];

/** Returns the constraints of visibility: tenant, scopes and gardens of the caller, and the record time of the read. */
export const visibleTo = (caller: Principal, gardens: Gardens, asOf?: ReadMoment['asOf']): Filter => {
  const parts = [equals('tenantId', caller.tenantId), isIn('scope', [...caller.allowedScopes])];
  if (gardens !== 'all') {
    const outside = isNull('gardenId');
    parts.push(gardens.length === 0 ? outside : any(outside, isIn('gardenId', gardens)));
  }
  // Negates the condition, so that no engine scans the feed instead of using the index for the rest of the filter.
  if (asOf !== undefined) parts.push(not(above('feed', asOf)));
  return all(...parts);
};

/** Joins a row that names a fact to that fact. */
export const SAME_FACT: readonly ColumnMatch[] = [
  { column: 'tenant_id', is: 'equal', field: 'tenantId' },
  { column: 'fact_id', is: 'equal', field: 'id' },
];

/** Returns the condition that a fact is not expired. At the instant `valid_until` it is expired already. */
export const notExpired = ({ nowMs, asOf }: ReadMoment): Filter => {
  const hasCome: ColumnCondition = { column: 'expires_ms', below: nowMs + 1 };
  const ofItself = below('validUntilMs', nowMs + 1);
  if (asOf === undefined) return not(any(ofItself, inTable('fact_expiries', SAME_FACT, [hasCome])));
  return not(
    any(
      ofItself,
      inTable('fact_expiries', SAME_FACT, [hasCome, recordedBy(asOf)]),
      inPastTable('fact_past_expiries', asOf, SAME_FACT, [hasCome]),
    ),
  );
};

/** Returns the condition that a row counts as of the stamp, for a row with the stamp from which it counts. */
export const recordedBy = (asOf: Hlc): ColumnCondition => ({ column: 'since', below: stampAfter(asOf) });

/**
 * Returns the condition that a replaced row counted as of the stamp and satisfies these matches and conditions. `of`
 * joins rows to the fact; only one of them counts at a time.
 */
export const inPastTable = (
  table: string,
  asOf: Hlc,
  of: readonly ColumnMatch[],
  conditions: readonly ColumnCondition[],
  matches: readonly ColumnMatch[] = [],
): Filter & { readonly kind: 'inTable' } => ({
  kind: 'inTable',
  table,
  match: matches,
  where: [{ column: 'until', above: asOf }, ...conditions],
  latest: { column: 'since', upTo: asOf, of },
});

const NEWER_IN_PLACE: readonly ColumnMatch[] = [...SAME_PLACE, { column: 'hlc', is: 'above', field: 'hlc' }];

const OF_SPEAKER: ColumnMatch = { column: 'speaker', is: 'equal', field: 'speaker' };
const OF_ALL_SPEAKERS: ColumnCondition = { column: 'speaker', in: [''] };
const OF_NAME: ColumnMatch = { column: 'named_id', is: 'equal', field: 'idAtOrigin' };
const OF_ORIGIN: ColumnMatch = { column: 'named_origin', is: 'equal', field: 'originNodeId' };
const OF_OWN_ORIGIN: ColumnCondition = { column: 'is_own', in: [1] };

/** The way in which one fact ends another. */
type Ending = Cover['kind'];

const COVER_KINDS: readonly Ending[] = ['retraction', 'resolution', 'replacement'];

/** Returns the condition that other facts have ended a fact in one of these ways, by now or by the moment. */
export const endedBy = (kinds: readonly Ending[], moment: ReadMoment): Filter => {
  const conditions: ColumnCondition[] = kinds.length === COVER_KINDS.length ? [] : [{ column: 'kind', in: kinds }];
  // Excludes covers with a later origin stamp, only for speed: a fact is recorded after its origin stamp, so this
  // excludes no cover that counts.
  const latest = latestOrigin(moment);
  if (latest !== undefined) conditions.push({ column: 'hlc', below: stampAfter(latest) });
  if (moment.asOf !== undefined) conditions.push(recordedBy(moment.asOf));
  return coveredBy(conditions);
};

/**
 * Returns the condition that a fact is covered. A cover ends only facts of its own place, so callers who see the facts
 * see the cover as well. Covers of a single speaker have a separate condition, so that an index finds each kind in one
 * step, regardless of the number of other covers. `of` limits the covers to those of some facts.
 */
export const coveredBy = (
  conditions: readonly ColumnCondition[],
  of: { readonly match?: readonly ColumnMatch[]; readonly whereFact?: Filter } = {},
): Filter => {
  const { match = [], ...whereFact } = of;
  const hasRow = (table: string, matches: readonly ColumnMatch[], where: readonly ColumnCondition[]): Filter => ({
    kind: 'inTable',
    table,
    match: [...matches, ...match],
    where: [...where, ...conditions],
    ...whereFact,
  });
  const reaching = (table: string, matches: readonly ColumnMatch[]): Filter =>
    any(
      hasRow(table, matches, [OF_ALL_SPEAKERS]),
      all(not(isNull('speaker')), hasRow(table, [...matches, OF_SPEAKER], [])),
    );
  const named = [...NEWER_IN_PLACE, OF_NAME];
  return any(
    reaching('fact_covers', NEWER_IN_PLACE),
    all(isNull('originNodeId'), hasRow('fact_named_covers', named, [OF_OWN_ORIGIN, OF_ALL_SPEAKERS])),
    all(not(isNull('originNodeId')), reaching('fact_named_covers', [...named, OF_ORIGIN])),
  );
};

/** Returns the condition that no retraction, resolution or replacement has ended a fact, by now or by the moment. */
export const notCovered = (moment: ReadMoment): Filter =>
  moment.asOf === undefined && moment.isValidity === undefined ? NOT_COVERED : not(endedBy(COVER_KINDS, moment));

const NOT_COVERED = constantFilter(not(coveredBy([])));

/** Returns the last possible origin stamp of covers that count at this moment. */
const latestOrigin = ({ asOf, nowMs, isValidity }: ReadMoment): Hlc | undefined => {
  if (isValidity === undefined) return asOf;
  const latest = lastStampOf(nowMs);
  return asOf === undefined || compareHlc(latest, asOf) < 0 ? latest : asOf;
};

const ASSERTS_SOMETHING = above('confidence', 0);

/**
 * Returns the condition that a fact has begun. At the instant `valid_from` it has begun already. In a read about
 * validity, a fact without a beginning begins at its timestamp.
 */
const hasBegun = ({ nowMs, isValidity }: ReadMoment): Filter =>
  isValidity === undefined
    ? not(above('validFromMs', nowMs))
    : any(below('validFromMs', nowMs + 1), all(isNull('validFromMs'), below('timestampMs', nowMs + 1)));

/** Returns the filter for the live facts at the moment, among the visible ones. */
export const liveAmong = (visible: Filter, moment: ReadMoment): Filter =>
  all(openAmong(visible, moment), hasBegun(moment));

/** Returns the filter for the facts that are live or have yet to begin, among the visible ones. */
export const openAmong = (visible: Filter, moment: ReadMoment): Filter =>
  all(visible, equals('system', false), ASSERTS_SOMETHING, notExpired(moment), notCovered(moment));

/**
 * Returns the default view: live facts, and the newest retraction of a triple without live facts in its place, by which
 * a polling client sees that the value is gone.
 */
export const currentAmong = (
  visible: Filter,
  context: Pick<ReadContext, 'include' | 'about' | keyof ReadMoment>,
): Filter => {
  const { include, about } = context;
  const parts: Filter[] = [visible];
  if (about.entityKey === undefined && about.relationKey === undefined) parts.push(equals('system', false));
  if (!include.expired || context.isValidity === true) parts.push(hasBegun(context));
  if (!include.expired) parts.push(notExpired(context));
  const hiding = COVER_KINDS.filter((kind) => !(kind === 'retraction' ? include.retracted : include.contradicted));
  const shown: Filter[] = [ASSERTS_SOMETHING];
  if (hiding.length > 0) shown.push(not(endedBy(hiding, context)));
  parts.push(
    include.retracted ? any(all(...shown), equals('confidence', 0)) : any(all(...shown), lastWord(visible, context)),
  );
  return all(...parts);
};

const lastWord = (visible: Filter, moment: ReadMoment): Filter => {
  const newerAndLive: Filter = {
    kind: 'inTable',
    table: 'facts',
    match: NEWER_IN_PLACE,
    where: [{ column: 'confidence', above: 0 }],
    whereFact: all(visible, hasBegun(moment), notExpired(moment)),
  };
  const live: Filter = {
    kind: 'inTable',
    table: 'facts',
    match: SAME_PLACE,
    where: [{ column: 'confidence', above: 0 }],
    whereFact: liveAmong(visible, moment),
  };
  // Unlike other retractions, a retraction that names its facts leaves all other facts live.
  const isByName = inTable('fact_named_covers', SAME_FACT, [OF_ALL_SPEAKERS]);
  return all(equals('confidence', 0), notCovered(moment), not(newerAndLive), not(all(isByName, live)));
};
