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
  inTable,
  isIn,
  isNull,
  not,
  type Principal,
} from '../../ports/ports.ts';
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

/** Tenant, scopes and gardens of the caller. */
export const visibleTo = (caller: Principal, gardens: Gardens): Filter => {
  const scopes = isIn('scope', [...caller.allowedScopes]);
  const tenant = equals('tenantId', caller.tenantId);
  if (gardens === 'all') return all(tenant, scopes);
  if (gardens.length === 0) return all(tenant, scopes, isNull('gardenId'));
  return all(tenant, scopes, any(isNull('gardenId'), isIn('gardenId', gardens)));
};

/** Ties a row that names a fact to it. */
export const SAME_FACT: readonly ColumnMatch[] = [
  { column: 'tenant_id', is: 'equal', field: 'tenantId' },
  { column: 'fact_id', is: 'equal', field: 'id' },
];

/** An instant that has come counts as passed: a fact is valid until, not through, its `valid_until`. */
export const notExpired = (nowMs: number): Filter => {
  return not(
    any(
      below('validUntilMs', nowMs + 1),
      inTable('fact_expiries', SAME_FACT, [{ column: 'expires_ms', below: nowMs + 1 }]),
    ),
  );
};

const NEWER_IN_PLACE: readonly ColumnMatch[] = [...SAME_PLACE, { column: 'hlc', is: 'above', field: 'hlc' }];

const COVER_KINDS: readonly Cover['kind'][] = ['retraction', 'resolution'];

/** A cover ends facts of its own place alone, so callers who see the facts see the cover as well. */
const covered = (kinds: readonly Cover['kind'][]): Filter => {
  const conditions: ColumnCondition[] = kinds.length === COVER_KINDS.length ? [] : [{ column: 'kind', in: kinds }];
  return inTable('fact_covers', NEWER_IN_PLACE, conditions);
};

const ASSERTS_SOMETHING = above('confidence', 0);

/** Live facts among the visible ones: the facts that count as true now. */
export const liveAmong = (visible: Filter, nowMs: number): Filter => {
  return all(visible, equals('system', false), ASSERTS_SOMETHING, notExpired(nowMs), not(covered(COVER_KINDS)));
};

/**
 * What a default query shows of the visible facts: live ones, and the newest retraction of a triple that has nothing
 * live left in its place, so that a poller sees that the value is gone.
 */
export const currentAmong = (visible: Filter, context: Pick<ReadContext, 'nowMs' | 'include' | 'about'>): Filter => {
  const { nowMs, include, about } = context;
  const parts: Filter[] = [visible];
  if (about.entityKey === undefined && about.relationKey === undefined) parts.push(equals('system', false));
  if (!include.expired) parts.push(notExpired(nowMs));
  const hiding = COVER_KINDS.filter((kind) => !(kind === 'retraction' ? include.retracted : include.contradicted));
  const shown: Filter[] = [ASSERTS_SOMETHING];
  if (hiding.length > 0) shown.push(not(covered(hiding)));
  parts.push(
    include.retracted ? any(all(...shown), equals('confidence', 0)) : any(all(...shown), lastWord(visible, nowMs)),
  );
  return all(...parts);
};

const lastWord = (visible: Filter, nowMs: number): Filter => {
  const newerAndLive: Filter = {
    kind: 'inTable',
    table: 'facts',
    match: NEWER_IN_PLACE,
    where: [{ column: 'confidence', above: 0 }],
    whereFact: all(visible, notExpired(nowMs)),
  };
  return all(equals('confidence', 0), not(covered(COVER_KINDS)), not(newerAndLive));
};
