import { type PreparedFact, type Principal, ServiceError } from '../../ports/ports.ts';
import { memberRefusal } from './member-refusal.ts';
import type { NameRules } from './name-rules.ts';
import type { Refusal } from './refusal-order.ts';

/** How far ahead of the node's clock a suggested timestamp may lie. */
const MAX_TIMESTAMP_LEAD_MS = 300_000;

/**
 * Why a client may not assert this fact, whatever the way it came by: an assertion, a resolution, a promotion. Null
 * when it may. Nothing here can change between the request and the commit, so it is judged once, before the
 * transaction. The rest is judged by plugins in `append:authorise`.
 */
export const refuseAssertion = (
  fact: PreparedFact,
  caller: Principal,
  { nameRules, nowMs, path }: { readonly nameRules: NameRules; readonly nowMs: number; readonly path: string },
): Refusal | null => {
  const { timestampMs, scope, value } = fact;
  const untimely = refuseTimestamp(timestampMs, nowMs, `${path}.timestamp`);
  if (untimely !== null) return { error: untimely, check: 'member' };
  const reserved = nameRules.refusalOf(fact);
  if (reserved !== null) return { error: new ServiceError('reserved_namespace', reserved), check: 'name' };
  if (!caller.allowedScopes.has(scope)) {
    return { error: new ServiceError('authorization', `the key may not write to scope ${scope}`), check: 'scope' };
  }
  if (value.interpretAs !== 'instruction' || caller.permissions.has('instruction:write')) return null;
  const message = 'asserting an instruction needs the permission instruction:write';
  return { error: new ServiceError('instruction_write_required', message), check: 'permission' };
};

/** `path` names the member. */
export const refuseTimestamp = (timestampMs: number | null, nowMs: number, path: string): ServiceError | null =>
  timestampMs === null || timestampMs <= nowMs + MAX_TIMESTAMP_LEAD_MS
    ? null
    : memberRefusal(path, `must not be more than ${MAX_TIMESTAMP_LEAD_MS / 1000} seconds in the future`);
