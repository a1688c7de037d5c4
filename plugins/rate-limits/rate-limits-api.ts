import { defineRef, type Principal } from '../../kernel/plugin-api.ts';

/** What a quota counts, as routes name it in `dimension`. */
export const DIMENSIONS = [
  'fact_write',
  'fact_read',
  'token_issue',
  'recall',
  'graph_query',
  'subscription_create',
  'admin_action',
  'federation_pull',
] as const;

export type Dimension = (typeof DIMENSIONS)[number];

/** The part of a principal that quotas are counted for: all keys of one entity share them. */
export type QuotaHolder = Pick<Principal, 'tenantId' | 'entityUri'>;

/** What a holder may do in one dimension. */
export interface QuotaState {
  readonly dimension: string;
  /** Requests a minute, and the most that may come at once. */
  readonly perMinute: number;
  /** What may come at once now. */
  readonly remaining: number;
  /** Seconds until everything may come at once again. */
  readonly resetS: number;
}

/** For plugins whose routes learn only in their handler for whom, or for how much, a request counts. */
export interface Quotas {
  /**
   * Counts a request that `http:admit` could not count, because its caller is known only now. Returns the headers that
   * tell the caller about the quota; none where the dimension has no limit. Rejects with `quota_exceeded`.
   */
  take(holder: QuotaHolder, dimension: Dimension): Promise<Readonly<Record<string, string>>>;
  /**
   * Counts the rest of a request that is `units` requests in one, and that `http:admit` has counted as one. Rejects
   * with `quota_exceeded` when not all of them may come now, and with `batch_too_large` when they never may come at
   * once; the whole request then counts nothing.
   */
  takeRest(holder: QuotaHolder, dimension: Dimension, units: number): Promise<Readonly<Record<string, string>>>;
}

export const Quotas = defineRef<Quotas>('rate-limits.quotas');
