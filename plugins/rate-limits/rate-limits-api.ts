import { defineRef, type Principal } from '../../kernel/plugin-api.ts';

/** The kinds of requests that quotas count, as named in `dimension` of routes. */
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

/** The quota of a holder in one dimension. */
export interface QuotaState {
  readonly dimension: string;
  /** Requests per minute, and the most at once. */
  readonly perMinute: number;
  /** Requests that may come at once now. */
  readonly remaining: number;
  /** Seconds until the quota is full again. */
  readonly resetS: number;
}

/** For plugins whose handlers determine the holder or the number of units of a request. */
export interface Quotas {
  /**
   * Counts a request that `http:admit` could not count, because its caller is known only now. Returns headers with the
   * quota for the caller; none without a limit. Rejects with `quota_exceeded`.
   */
  take(holder: QuotaHolder, dimension: Dimension): Promise<Readonly<Record<string, string>>>;
  /**
   * Counts the rest of a request of `units` units, of which `http:admit` has counted one. Rejects with `quota_exceeded`
   * if too few tokens are left now, and with `batch_too_large` if the request exceeds the whole quota. A rejected
   * request counts nothing.
   */
  takeRest(holder: QuotaHolder, dimension: Dimension, units: number): Promise<Readonly<Record<string, string>>>;
}

export const Quotas = defineRef<Quotas>('rate-limits.quotas');
