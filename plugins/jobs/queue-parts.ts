import type { PluginSnapshot, PluginTables, Random, ServedTenants } from '../../kernel/plugin-api.ts';

/** The signal of each commit that adds due jobs to the queue. */
export const WORK = 'work';
/** The signal of each commit in which a caller cancels running jobs. */
export const CANCELLED = 'cancelled';

/** The services that all parts of the queue share. */
export interface QueueParts {
  readonly tables: PluginTables;
  readonly random: Random;
  /**
   * Returns milliseconds since the epoch, by the clock that all processes on the store share
   * (`PluginSnapshot.databaseMs`).
   */
  readonly storeTime: (snapshot: PluginSnapshot) => Promise<number>;
  /** The suspended tenants, whose jobs wait. */
  readonly served: Pick<ServedTenants, 'resting'>;
  /** The retention of ended jobs, in milliseconds. */
  readonly keepMs: number;
}
