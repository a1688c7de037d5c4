import { type LedgerPiece, SAME_FACT } from '../../kernel/internal-api.ts';
import {
  all,
  any,
  below,
  equals,
  type FactReader,
  type Filter,
  type GardenAccess,
  inTable,
  isIn,
  isNull,
  type LedgerEntry,
  not,
} from '../../kernel/plugin-api.ts';
import type { JudgeEntity, Namespaces } from '../namespaces/namespaces-api.ts';
import type { SweepRules } from './sweep-rules.ts';

export interface SelectionParts {
  readonly gardens: GardenAccess | undefined;
  readonly namespaces: Namespaces | undefined;
}

/** A fact that a sweep ends. The fact that ends it gets the same place. */
export type DecayingFact = Pick<LedgerEntry, 'factId' | 'scope' | 'gardenId'>;

/** Filters for the facts that one decay run considers and ends, in one snapshot of the store. */
export interface Selection {
  /** Live facts that the caller could write about. */
  readonly candidates: Filter;
  /** Candidates that match the rules. */
  readonly decaying: Filter;
  readonly mayWriteAbout: JudgeEntity | undefined;
}

/**
 * Selects the facts that the caller could end: visible facts, in places and about entities that the caller may write
 * to.
 */
export const openSelection = async (
  reader: FactReader,
  rules: SweepRules,
  { gardens, namespaces }: SelectionParts,
): Promise<Selection> => {
  const { caller, snapshot } = reader;
  const { within = 'all' } = rules;
  const mayWrite = (await gardens?.writable(caller, snapshot)) ?? [];
  const writable = within === 'all' ? mayWrite : mayWrite.filter((garden) => within.includes(garden));
  const ofScope = rules.scope === null ? [] : [equals('scope', rules.scope)];
  const live = await reader.constraint('live', rules.scope === null ? {} : { scope: rules.scope });
  const candidates = all(live, ...ofScope, any(isNull('gardenId'), isIn('gardenId', writable)));
  return {
    candidates,
    decaying: all(candidates, any(...conditionsOf(rules, reader.nowMs))),
    mayWriteAbout: await namespaces?.judge(caller, snapshot),
  };
};

const conditionsOf = ({ ttlSeconds, minConfidence }: SweepRules, nowMs: number): Filter[] => {
  const conditions: Filter[] = [];
  if (minConfidence !== null) conditions.push(below('confidence', minConfidence));
  if (ttlSeconds !== null) conditions.push(all(NOBODY_ENDS_IT, ...isOlderThan(ttlSeconds, nowMs)));
  return conditions;
};

/** Matches facts without an expiry. If a fact has one, its author has chosen how long it is valid. */
const NOBODY_ENDS_IT = all(isNull('validUntilMs'), not(inTable('fact_expiries', SAME_FACT)));

/** Does not compare for 0 seconds, because timestamps may be slightly in the future. */
const isOlderThan = (seconds: number, nowMs: number): Filter[] =>
  seconds === 0 ? [] : [below('timestampMs', Math.max(Math.floor(nowMs - seconds * 1000), Number.MIN_SAFE_INTEGER))];

/** The selected facts in one piece of the ledger. */
export const selectIn = async (
  { snapshot }: FactReader,
  { candidates, decaying, mayWriteAbout }: Selection,
  piece: LedgerPiece,
): Promise<{ readonly scanned: number; readonly decaying: readonly DecayingFact[] }> => {
  const limit = piece.below - piece.above;
  const entries = (filter: Filter) =>
    snapshot.ledger({ ...piece, filter, order: 'oldest', limit, members: ['factId', 'scope', 'gardenId'] });
  if (mayWriteAbout === undefined) {
    const scanned = await snapshot.ledgerCount({ ...piece, filter: candidates });
    return { scanned, decaying: scanned === 0 ? [] : await entries(decaying) };
  }
  const ids = (await entries(candidates)).map(({ factId }) => factId);
  const outlines = await snapshot.outline(all(equals('tenantId', piece.tenantId), isIn('id', ids)));
  const allowed = new Set(outlines.filter(mayWriteAbout).map(({ id }) => id));
  return { scanned: allowed.size, decaying: (await entries(decaying)).filter(({ factId }) => allowed.has(factId)) };
};

/** Returns the given facts that the selection still contains. */
export const stillSelected = async (
  { caller, snapshot }: FactReader,
  { decaying, mayWriteAbout }: Selection,
  facts: readonly DecayingFact[],
): Promise<readonly DecayingFact[]> => {
  const ids = facts.map(({ factId }) => factId);
  const found = await snapshot.outline(all(equals('tenantId', caller.tenantId), isIn('id', ids), decaying));
  const left = new Set(found.filter(mayWriteAbout ?? (() => true)).map(({ id }) => id));
  return facts.filter(({ factId }) => left.has(factId));
};
