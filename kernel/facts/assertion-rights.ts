import { type FactValue, type PreparedFact, type Principal, ServiceError } from '../../ports/ports.ts';
import { memberRefusal } from '../problems/member-refusal.ts';
import type { Interpretation } from '../vocabulary/interpretations.ts';
import type { NameRules } from './name-rules.ts';
import type { Refusal } from './refusal-order.ts';

/** The maximum milliseconds by which a suggested timestamp may be ahead of the node's clock. */
const MAX_TIMESTAMP_LEAD_MS = 300_000;

/** The rules for facts of clients and peers, created once for a node. */
export interface AssertionRules {
  readonly nameRules: NameRules;
  readonly interpretations: ReadonlyMap<string, Interpretation>;
  /** See `NodeSettings`. */
  readonly maxStampLeadMs: number;
}

/**
 * Returns the reason why a client may not assert this fact by assertion, resolution or promotion; null when it may. The
 * result cannot change between request and commit, so the check runs once, before the transaction. Plugins check the
 * rest in `append:authorise`.
 */
export const refuseAssertion = (
  fact: PreparedFact,
  caller: Principal,
  { nameRules, interpretations }: Omit<AssertionRules, 'maxStampLeadMs'>,
  { nowMs, path }: { readonly nowMs: number; readonly path: string },
): Refusal | null => {
  const { timestampMs, scope, value } = fact;
  const untimely = refuseTimestamp(timestampMs, nowMs, `${path}.timestamp`);
  if (untimely !== null) return { error: untimely, check: 'member' };
  const reserved = nameRules.refusalOf(fact);
  if (reserved !== null) return { error: new ServiceError('reserved_namespace', reserved), check: 'name' };
  if (!caller.allowedScopes.has(scope)) {
    return { error: new ServiceError('authorization', `the key may not write to scope ${scope}`), check: 'scope' };
  }
  const error = value.interpretAs === 'content' ? null : refuseInterpretation(value, caller, interpretations);
  return error && { error, check: 'permission' };
};

const refuseInterpretation = (
  { interpretAs }: FactValue,
  { permissions }: Principal,
  interpretations: AssertionRules['interpretations'],
): ServiceError | null => {
  const known = interpretations.get(interpretAs);
  if (known === undefined)
    return new ServiceError('authorization', 'no plugin here lets callers assert this interpret_as');
  return permissions.has(known.permission.id) ? null : new ServiceError(known.refusal, known.message);
};

/** Returns the reason why a timestamp is refused. `path` names the member. */
export const refuseTimestamp = (timestampMs: number | null, nowMs: number, path: string): ServiceError | null =>
  timestampMs === null || timestampMs <= nowMs + MAX_TIMESTAMP_LEAD_MS
    ? null
    : memberRefusal(path, `must not be more than ${MAX_TIMESTAMP_LEAD_MS / 1000} seconds in the future`);
