import { defineCollectHook, defineRef, type PluginSnapshot, type Principal } from '../../kernel/plugin-api.ts';

/** The kinds of requests that quotas count, as routes name them in `dimension`. */
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

/** The holder of a quota: all keys of one entity share it, with the programs that call on its behalf. */
export type QuotaHolder = Pick<Principal, 'tenantId' | 'entityUri' | 'onBehalfOf'>;

/** Counts requests for plugins that determine the holder or the number of units themselves. */
export interface Quotas {
  /**
   * Counts a request that `http:admit` could not count, because its caller was not known yet. Returns headers with the
   * quota for the caller; none without a limit. Rejects with `quota_exceeded`.
   */
  take(holder: QuotaHolder, dimension: Dimension): Promise<Readonly<Record<string, string>>>;
  /**
   * Counts the rest of a request of `units` units, of which `http:admit` has counted one. Rejects with `quota_exceeded`
   * if too few tokens are left now, and with `batch_too_large` if the request exceeds the whole quota. A rejected
   * request uses no tokens.
   */
  takeRest(holder: QuotaHolder, dimension: Dimension, units: number): Promise<Readonly<Record<string, string>>>;
}

export const Quotas = defineRef<Quotas>('rate-limits.quotas');

/** Entities of one tenant. Some may be programs whose use counts against the limits of a person. */
export interface LimitedEntities {
  readonly tenantId: string;
  readonly entityUris: readonly string[];
  readonly snapshot: PluginSnapshot;
}

/**
 * Handlers return, in this snapshot or transaction, the person of each program among these entities, by the entity of
 * the program. The use of a program counts against the limits of its person. Handlers leave out all other entities.
 */
export const limitShared = defineCollectHook<LimitedEntities, ReadonlyMap<string, string>>('limit:shared');
