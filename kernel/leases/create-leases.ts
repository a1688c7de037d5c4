import { hostname } from 'node:os';
import { LeaseKeeper, type LeaseParts } from './lease-keeper.ts';
import type { Leases } from './leases-api.ts';

/** The leases of one process. `close` releases all of them. */
export const createLeases = (parts: Omit<LeaseParts, 'holder'>): Leases & { close(): Promise<void> } => {
  const holder = `${hostname()} ${process.pid}`;
  const keepers = new Map<string, LeaseKeeper>();
  return {
    hold(name, { onAcquired } = {}) {
      if (keepers.has(name)) throw new Error(`the lease ${name} is wanted twice in one process`);
      const keeper = new LeaseKeeper(name, () => onAcquired?.(), { ...parts, holder });
      keepers.set(name, keeper);
      return keeper;
    },
    async close() {
      await Promise.all([...keepers.values()].map((keeper) => keeper.end()));
    },
  };
};
