import {
  above,
  all,
  any,
  below,
  type ColumnCondition,
  type ColumnMatch,
  type Cover,
  equals,
  type Filter,
  type Hlc,
  inTable,
  isIn,
  isNull,
  not,
  type Principal,
} from '../../ports/ports.ts';
import { compareHlc } from './hybrid-logical-clock.ts';
import { lastStampOf, type ReadMoment, stampAfter } from './read-moment.ts';
import type { ReadContext } from './reader-api.ts';

/**
 * What every read is narrowed to, whatever plugins are on (docs/concepts/scopes-and-rights.md). Plugins can only narrow
 * further, so switching one off never widens a view.
 */

type Gardens = ReadContext['gardens'];

/** Ties a row of a table that names a triple to the facts of that triple, wherever they are. */
export const SAME_TRIPLE: readonly ColumnMatch[] = [
  { column: 'tenant_id', is: 'equal', field: 'tenantId' },
  { column: 'entity_key', is: 'equal', field: 'entityKey' },
  { column: 'relation_key', is: 'equal', field: 'relationKey' },
  { column: 'scope', is: 'equal', field: 'scope' },
];

/** The same, to the facts of one place: the row has its garden, or an empty text, in `place`. */
export const SAME_PLACE: readonly ColumnMatch[] = [...SAME_TRIPLE, { column: 'place', is: 'equal', field: 'place' }];

/** Tenant, scopes and gardens of the caller, and what was recorded by the moment of the read. */
export const visibleTo = (caller: Principal, gardens: Gardens, asOf?: ReadMoment['asOf']): Filter => {
  const parts = [equals('tenantId', caller.tenantId), isIn('scope', [...caller.allowedScopes])];
  if (gardens !== 'all') {
    const outside = isNull('gardenId');
    parts.push(gardens.length === 0 ? outside : any(outside, isIn('gardenId', gardens)));
  }
  // Negated, because no engine should walk the feed for it in place of the index that the rest of the filter leads to.
  if (asOf !== undefined) parts.push(not(above('feed', asOf)));
  return all(...parts);
};

/** Ties a row that names a fact to it. */
export const SAME_FACT: readonly ColumnMatch[] = [
  { column: 'tenant_id', is: 'equal', field: 'tenantId' },
  { column: 'fact_id', is: 'equal', field: 'id' },
];

/** An instant that has come counts as passed: a fact is valid until, not through, its `valid_until`. */
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

/** Of a row that says since when it counts. */
export const recordedBy = (asOf: Hlc): ColumnCondition => ({ column: 'since', below: stampAfter(asOf) });

/**
 * True when a row that counted as of the stamp, and was replaced since, has these matches and conditions besides. `of`
 * ties the rows of which one counts at a time to the fact.
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

const COVER_KINDS: readonly Cover['kind'][] = ['retraction', 'resolution'];

/** A cover ends facts of its own place alone, so callers who see the facts see the cover as well. */
const covered = (kinds: readonly Cover['kind'][], moment: ReadMoment): Filter => {
  const conditions: ColumnCondition[] = kinds.length === COVER_KINDS.length ? [] : [{ column: 'kind', in: kinds }];
  // A fact is recorded after its origin stamp, so this leaves out nothing that counts. It bounds what is looked at.
  const latest = latestOrigin(moment);
  if (latest !== undefined) conditions.push({ column: 'hlc', below: stampAfter(latest) });
  if (moment.asOf !== undefined) conditions.push(recordedBy(moment.asOf));
  return inTable('fact_covers', NEWER_IN_PLACE, conditions);
};

/** The last origin stamp that covers of this moment may have. */
const latestOrigin = ({ asOf, nowMs, isValidity }: ReadMoment): Hlc | undefined => {
  if (isValidity === undefined) return asOf;
  const latest = lastStampOf(nowMs);
  return asOf === undefined || compareHlc(latest, asOf) < 0 ? latest : asOf;
};

const ASSERTS_SOMETHING = above('confidence', 0);

/** Of a read about validity: facts that begin later are left out. */
const hasBegun = ({ nowMs, isValidity }: ReadMoment): readonly Filter[] =>
  isValidity === undefined ? [] : [below('timestampMs', nowMs + 1)];

/** Live facts among the visible ones: the facts that count as true at the moment. */
export const liveAmong = (visible: Filter, moment: ReadMoment): Filter => {
  const ended = covered(COVER_KINDS, moment);
  const begun = hasBegun(moment);
  return all(visible, ...begun, equals('system', false), ASSERTS_SOMETHING, notExpired(moment), not(ended));
};

/**
 * What a default query shows of the visible facts: live ones, and the newest retraction of a triple that has nothing
 * live left in its place, so that a poller sees that the value is gone.
 */
export const currentAmong = (
  visible: Filter,
  context: Pick<ReadContext, 'include' | 'about' | keyof ReadMoment>,
): Filter => {
  const { include, about } = context;
  const parts: Filter[] = [visible, ...hasBegun(context)];
  if (about.entityKey === undefined && about.relationKey === undefined) parts.push(equals('system', false));
  if (!include.expired) parts.push(notExpired(context));
  const hiding = COVER_KINDS.filter((kind) => !(kind === 'retraction' ? include.retracted : include.contradicted));
  const shown: Filter[] = [ASSERTS_SOMETHING];
  if (hiding.length > 0) shown.push(not(covered(hiding, context)));
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
    whereFact: all(visible, ...hasBegun(moment), notExpired(moment)),
  };
  return all(equals('confidence', 0), not(covered(COVER_KINDS, moment)), not(newerAndLive));
};
