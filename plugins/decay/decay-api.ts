import { defineRef, type Principal, type Scope } from '../../kernel/plugin-api.ts';

/** Selects the facts that a sweep ends. Without `ttlSeconds` and `minConfidence` the settings of the node apply. */
export interface SweepRequest {
  /** The sweep ends only facts of this scope. */
  readonly scope?: Scope | undefined;
  /** The sweep ends facts that are older than this and have no expiry. 0 ends all facts without an expiry. */
  readonly ttlSeconds?: number | undefined;
  /** The sweep ends facts of any age below this confidence. */
  readonly minConfidence?: number | undefined;
  /** If true, counts the facts that a sweep would end, without ending them. */
  readonly isTrial?: boolean | undefined;
}

export interface SweepResult {
  /** Number of live facts that the caller may write about. 0 if no rule applies. */
  readonly scanned: number;
  /** Number of facts that the sweep has ended, or would end in a trial. */
  readonly decayed: number;
}

/** A sweep over more facts than one request should wait for. */
export interface SweepJob {
  readonly jobId: string;
  readonly estimatedSeconds: number;
}

/** Ends facts that are old or uncertain. */
export interface Decay {
  /**
   * Appends an `svc:ttl` fact for each live fact that matches the rules and that the caller could write about. It
   * changes no fact, and ends no fact twice, so sweeps may run at the same time. Above the threshold a job runs the
   * sweep, but never a trial. Needs `write`. Rejects with `authorization` for a scope that the key does not have. An
   * aborted signal ends the sweep between two transactions.
   */
  sweep(caller: Principal, request: SweepRequest, signal?: AbortSignal): Promise<SweepResult | SweepJob>;
}

export const Decay = defineRef<Decay>('decay.decay');
