import { defineRef, type Principal, type Scope } from '../../kernel/plugin-api.ts';

/** The checks, in the order in which their findings are listed. */
export const CHECKS = ['contradiction', 'stale', 'orphan', 'broken_ref', 'namespacing'] as const;
export type Check = (typeof CHECKS)[number];

/** From the worst to the least. */
export const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Something about the facts that somebody should look at. */
export interface Finding {
  readonly check: Check;
  readonly severity: Severity;
  readonly entity: string;
  /** Null for a finding about the entity as a whole. */
  readonly relation: string | null;
  /** The facts that the finding is about, sorted: at most 100, of more facts the strongest. */
  readonly factIds: readonly string[];
  /** A sentence for people, without values of facts. */
  readonly detail: string;
}

/** What to check. */
export interface LintQuestion {
  /** `all`: every scope that the caller may read. */
  readonly scope: Scope | 'all';
  /** None: all of them. */
  readonly checks?: readonly Check[];
  /** Only facts about this entity. */
  readonly entity?: string | undefined;
  /** Only facts with this relation. */
  readonly relation?: string | undefined;
  /** Facts that expire within so many seconds are reported as well. 0 by default. */
  readonly lookaheadSeconds?: number;
}

export interface LintReport {
  /** By check in the order of `CHECKS`, then by entity, relation and first fact id. */
  readonly findings: readonly Finding[];
  /** More was found than a report has room for: the findings are the first in order. */
  readonly isTruncated: boolean;
  /** Milliseconds since the epoch. */
  readonly checkedMs: number;
  readonly checks: readonly Check[];
  /** Facts that were checked, in whatever state. */
  readonly factCount: number;
}

/** A job does the work, because there is much of it. */
export interface LintJob {
  readonly jobId: string;
  readonly estimatedSeconds: number;
}

/** Finds what is contradictory, out of date or unconnected among the facts that a caller sees. */
export interface Lint {
  /**
   * Checks the facts, and returns the report, or the job that makes it where there are more facts than
   * `JobQueue.threshold`. Changes nothing. Needs `read`. Rejects with `authorization` for a scope that the caller may
   * not read.
   */
  check(caller: Principal, question: LintQuestion): Promise<LintReport | LintJob>;
}

export const Lint = defineRef<Lint>('lint.lint');
