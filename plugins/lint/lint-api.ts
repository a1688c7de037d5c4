import { defineRef, type Principal, type Scope } from '../../kernel/plugin-api.ts';

/** The checks, in the order in which their findings are listed. */
export const CHECKS = ['contradiction', 'stale', 'orphan', 'broken_ref', 'namespacing'] as const;
export type Check = (typeof CHECKS)[number];

/** From the most to the least severe. */
export const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A problem of some facts. */
export interface Finding {
  readonly check: Check;
  readonly severity: Severity;
  readonly entity: string;
  /** Null for a finding about the entity as a whole. */
  readonly relation: string | null;
  /** Sorted ids of the affected facts. If there are more than 100, only the strongest. */
  readonly factIds: readonly string[];
  /** A sentence for people, without values of facts. */
  readonly detail: string;
}

/** A relation without a rule whose facts suggest that it holds many values. */
export interface RuleProposal {
  readonly relation: string;
  /** Sorted ids of the facts that show it: two of each of five entities. */
  readonly factIds: readonly string[];
}

/** Selects facts and checks. */
export interface LintQuestion {
  /** `all`: every scope that the caller may read. */
  readonly scope: Scope | 'all';
  /** All checks by default. */
  readonly checks?: readonly Check[];
  /** Only facts about this entity. */
  readonly entity?: string | undefined;
  /** Only facts with this relation. */
  readonly relation?: string | undefined;
  /** Also reports facts that expire within this many seconds. 0 by default. */
  readonly lookaheadSeconds?: number;
}

export interface LintReport {
  /** By check in the order of `CHECKS`, then by entity, relation and first fact id. */
  readonly findings: readonly Finding[];
  /** By relation. Empty unless contradictions are checked and relations can have rules. */
  readonly proposals: readonly RuleProposal[];
  /** True if the report has no room for all findings. It holds the first ones in order. */
  readonly isTruncated: boolean;
  /** Milliseconds since the epoch. */
  readonly checkedMs: number;
  readonly checks: readonly Check[];
  /** Number of checked facts, in any state. */
  readonly factCount: number;
}

/** The job that checks many facts. */
export interface LintJob {
  readonly jobId: string;
  readonly estimatedSeconds: number;
}

/** Finds contradictory, outdated or unconnected facts among those that a caller sees. */
export interface Lint {
  /**
   * Checks the facts. Returns the report, or a job for more facts than `JobQueue.threshold`. Changes nothing. Needs
   * `read`. Rejects with `authorization` for a scope that the caller may not read.
   */
  check(caller: Principal, question: LintQuestion): Promise<LintReport | LintJob>;
}

export const Lint = defineRef<Lint>('lint.lint');
