import { defineRef, type Principal, type Scope } from '../../kernel/plugin-api.ts';
import { defineAuditEvent } from '../audit/audit-api.ts';

export const DECAY_SWEEP = defineAuditEvent('decay_sweep', { summary: 'a sweep has ended facts' });

/** Which facts a sweep ends. Without `ttlSeconds` and `minConfidence` the settings of the node say it. */
export interface SweepRequest {
  /** Facts of this scope alone. */
  readonly scope?: Scope | undefined;
  /** Ends facts that are older, and that nobody gave an end. 0 ends all of these. */
  readonly ttlSeconds?: number | undefined;
  /** Ends facts with a lower confidence, of any age. */
  readonly minConfidence?: number | undefined;
  /** Counts what a sweep would end, and ends nothing. */
  readonly isTrial?: boolean | undefined;
}

export interface SweepResult {
  /** Live facts that the caller may write about. 0 when there was nothing to look for. */
  readonly scanned: number;
  /** Those that the sweep has ended, or would end. */
  readonly decayed: number;
}

/** A sweep over more facts than one request should wait for. */
export interface SweepJob {
  readonly jobId: string;
  readonly estimatedSeconds: number;
}

/** Lets facts come to an end that are old, or that nobody is sure of. */
export interface Decay {
  /**
   * Appends an `svc:ttl` fact for each live fact that the rules name and that the caller could write about. No fact is
   * changed, and a fact that has ended is never ended again: sweeps may run at the same time. Above the threshold of
   * jobs a job does it; a trial is never a job. Needs `write`. Rejects with `authorization` for a scope that the key
   * does not have. An aborted signal ends the sweep between two transactions.
   */
  sweep(caller: Principal, request: SweepRequest, signal?: AbortSignal): Promise<SweepResult | SweepJob>;
}

export const Decay = defineRef<Decay>('decay.decay');
