import type { PluginSnapshot, PluginTables, Random, ServedTenants } from '../../kernel/plugin-api.ts';

/** Signalled by each commit that adds due work to the queue. */
export const WORK = 'work';
/** Signalled by each commit of a caller that ends running jobs. */
export const CANCELLED = 'cancelled';

/** The shared parts of everything that works on the queue. */
export interface QueueParts {
  readonly tables: PluginTables;
  readonly random: Random;
  /** Milliseconds since the epoch by the clock that all processes on the store share: `PluginSnapshot.databaseMs`. */
  readonly storeTime: (snapshot: PluginSnapshot) => Promise<number>;
  /** Jobs of suspended tenants wait. */
  readonly served: Pick<ServedTenants, 'resting'>;
  /** Retention of ended jobs, in milliseconds. */
  readonly keepMs: number;
}
