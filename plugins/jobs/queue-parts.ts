import type { PluginSnapshot, PluginTables, Random, ServedTenants } from '../../kernel/plugin-api.ts';

/** Signalled by each commit that leaves work to do. */
export const WORK = 'work';
/** Signalled by each commit that ends running jobs from outside. */
export const CANCELLED = 'cancelled';

/** The shared parts of everything that works on the queue. */
export interface QueueParts {
  readonly tables: PluginTables;
  readonly random: Random;
  /** Milliseconds since the epoch by the clock that all processes on the store share: `PluginSnapshot.databaseMs`. */
  readonly storeTime: (snapshot: PluginSnapshot) => Promise<number>;
  /** Jobs of tenants that rest wait. */
  readonly served: Pick<ServedTenants, 'resting'>;
  /** How long a job is kept once it has ended, in milliseconds. */
  readonly keepMs: number;
}
