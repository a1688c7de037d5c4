import { type FactValue, type PreparedFact, type Principal, type Scope, ServiceError } from '../../ports/ports.ts';
import type { ServiceNames } from '../identity/service-names.ts';
import { type FactNameKeys, reservedNameOf } from './match-key.ts';
import { memberRefusal } from './member-refusal.ts';

/** How far ahead of the node's clock a suggested timestamp may lie (wire contract 4.2). */
const MAX_TIMESTAMP_LEAD_MS = 300_000;

/**
 * Why a client may not assert this fact, whatever the route it came by: an assertion, a resolution, a promotion (wire
 * contract 4.2). Null when it may. What the node says itself is not judged. Gardens are the business of the plugin that
 * knows them.
 */
export const refuseAssertion = (
  fact: PreparedFact,
  caller: Principal,
  { names, nowMs }: { readonly names: ServiceNames; readonly nowMs: number },
): ServiceError | null => {
  if (caller.kind === 'node') return null;
  return (
    refuseTimestamp(fact.timestampMs, nowMs, 'body.timestamp') ??
    refuseNames(fact, names) ??
    refuseScope(fact.scope, caller) ??
    refuseInstruction(fact.value, caller)
  );
};

/** `path` names the member. */
export const refuseTimestamp = (timestampMs: number | null, nowMs: number, path: string): ServiceError | null =>
  timestampMs === null || timestampMs <= nowMs + MAX_TIMESTAMP_LEAD_MS
    ? null
    : memberRefusal(path, `must not be more than ${MAX_TIMESTAMP_LEAD_MS / 1000} seconds in the future`);

/** Names that are the node's own. */
export const refuseNames = (fact: FactNameKeys, names: ServiceNames): ServiceError | null => {
  const reserved = reservedNameOf(fact, names);
  return reserved === null ? null : new ServiceError('reserved_namespace', reserved);
};

export const refuseScope = (scope: Scope, caller: Principal): ServiceError | null =>
  caller.allowedScopes.has(scope) ? null : new ServiceError('authorization', `the key may not write to scope ${scope}`);

export const refuseInstruction = (value: FactValue, caller: Principal): ServiceError | null =>
  value.interpretAs !== 'instruction' || caller.permissions.has('instruction:write')
    ? null
    : new ServiceError('instruction_write_required', 'asserting an instruction needs the permission instruction:write');
