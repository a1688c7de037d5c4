import { hostname } from 'node:os';
import type { FactStore } from '../../ports/ports.ts';
import { LeaseKeeper, type LeaseParts } from './lease-keeper.ts';
import { type Claim, type LeaseView, viewLeases } from './lease-table.ts';
import type { HoldOptions, Leases } from './leases-api.ts';

export interface ProcessLeases extends Leases {
  hold(name: string, options?: HoldOptions): LeaseKeeper;
  /**
   * Tries to get the leases that callers have requested so far, and later ones at once. Takes no lease before this
   * call. Never rejects.
   */
  begin(): Promise<void>;
  /** Releases all leases. */
  close(): Promise<void>;
}

export const createLeases = (parts: Omit<LeaseParts, 'holder' | 'view'>): ProcessLeases => {
  let hasBegun = false;
  const holder = `${hostname()} ${process.pid}`;
  const view = readTogether(parts.store);
  const keepers = new Map<string, LeaseKeeper>();
  return {
    hold(name, { onAcquired } = {}) {
      if (keepers.has(name)) throw new Error(`the lease ${name} is wanted twice in one process`);
      const keeper = new LeaseKeeper(name, () => onAcquired?.(), { ...parts, holder, view });
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

/** Reads the claims of one turn in one snapshot, because each snapshot occupies a connection of its own. */
const readTogether = (store: FactStore): LeaseParts['view'] => {
  let claims: Claim[] = [];
  let reading: Promise<ReadonlyMap<Claim, LeaseView>> | undefined;
  const read = (): Promise<ReadonlyMap<Claim, LeaseView>> => {
    const together = claims;
    claims = [];
    reading = undefined;
    return store.read((snapshot) => viewLeases(snapshot, together));
  };
  return async (claim) => {
    claims.push(claim);
    reading ??= Promise.resolve().then(read);
    return (await reading).get(claim) as LeaseView;
  };
};
