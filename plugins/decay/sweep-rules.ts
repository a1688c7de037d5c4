import type { Scope } from '../../kernel/plugin-api.ts';
import type { SweepRequest } from './decay-api.ts';

/** The defaults for absent rules. 0 switches a rule off. */
export interface DecayDefaults {
  readonly ttlSeconds: number;
  readonly minConfidence: number;
}

/** Plain JSON, because jobs keep it. */
export interface SweepRules {
  readonly scope: Scope | null;
  /** Null without a rule about age. 0 means every age. */
  readonly ttlSeconds: number | null;
  /** Null without a rule about confidence. */
  readonly minConfidence: number | null;
}

/**
 * The rules of a request. The defaults stand in only where it has no rule of its own, so that a caller who names one
 * never gets the other as well. Null when there is nothing to look for.
 */
export const rulesOf = (
  { scope, ttlSeconds, minConfidence }: SweepRequest,
  defaults: DecayDefaults,
): SweepRules | null => {
  const isSilent = ttlSeconds === undefined && minConfidence === undefined;
  const rules: SweepRules = isSilent
    ? { scope: scope ?? null, ttlSeconds: defaults.ttlSeconds || null, minConfidence: defaults.minConfidence || null }
    : { scope: scope ?? null, ttlSeconds: ttlSeconds ?? null, minConfidence: minConfidence || null };
  return rules.ttlSeconds === null && rules.minConfidence === null ? null : rules;
};
