import type { Scope } from '../../kernel/plugin-api.ts';
import type { FactNarrowing } from './fact-narrowing.ts';

/** The filters of a query for facts. The texts follow the rules of the parameters of `GET /v1/facts`. */
export interface FactQuestion extends FactNarrowing {
  readonly entity?: string | undefined;
  readonly relation?: string | undefined;
  readonly source?: string | undefined;
  readonly scope?: Scope | undefined;
  /** A garden's URI, UUID or slug. */
  readonly garden?: string | undefined;
  readonly minConfidence?: number | undefined;
  readonly attested?: boolean | undefined;
  /**
   * Selects facts that the caller asserted in this session. For an admin, selects facts of sessions of this name of all
   * callers.
   */
  readonly session?: string | undefined;
  /** As in `FactNarrowing`, or a clock stamp, which selects facts with later stamps. */
  readonly after?: string | undefined;
  readonly includeContradicted?: boolean | undefined;
  readonly includeExpired?: boolean | undefined;
  readonly includeRetracted?: boolean | undefined;
}
