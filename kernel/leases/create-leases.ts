import { hostname } from 'node:os';
import { LeaseKeeper, type LeaseParts } from './lease-keeper.ts';
import type { Leases } from './leases-api.ts';

export interface ProcessLeases extends Leases {
  /** Tries to get every lease that is wanted now or later. Until then, none is taken. Never rejects. */
  begin(): Promise<void>;
  /** Releases all leases. */
  close(): Promise<void>;
}

/** The leases of one process. */
export const createLeases = (parts: Omit<LeaseParts, 'holder'>): ProcessLeases => {
  let hasBegun = false;
  const holder = `${hostname()} ${process.pid}`;
  const keepers = new Map<string, LeaseKeeper>();
  return {
    hold(name, { onAcquired } = {}) {
      if (keepers.has(name)) throw new Error(`the lease ${name} is wanted twice in one process`);
      const keeper = new LeaseKeeper(name, () => onAcquired?.(), { ...parts, holder });
      keepers.set(name, keeper);
      if (hasBegun) void keeper.begin();
      return keeper;
    },
    async begin() {
      hasBegun = true;
      await Promise.all([...keepers.values()].map((keeper) => keeper.begin()));
    },
    async close() {
      await Promise.all([...keepers.values()].map((keeper) => keeper.end()));
    },
  };
};
