import type { FactReader, Scope } from '../../kernel/plugin-api.ts';
import type { SweepRequest } from './decay-api.ts';

/** The defaults for absent rules. 0 disables a rule. */
export interface DecayDefaults {
  readonly ttlSeconds: number;
  readonly minConfidence: number;
}

/** The rules of a sweep. Plain JSON, because jobs store them. */
export interface SweepRules {
  readonly scope: Scope | null;
  /** Null without a rule about age. 0 means every age. */
  readonly ttlSeconds: number | null;
  /** Null without a rule about confidence. */
  readonly minConfidence: number | null;
  /** The gardens that the sweep keeps to. By default all that the caller may write. */
  readonly within?: FactReader['gardens'];
}

/**
 * Returns the rules of a request. The defaults apply only to a request without any rule, so that a caller with one rule
 * never gets the other one as well. Null if no rule applies.
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
