import { hostname } from 'node:os';
import type { FactStore } from '../../ports/ports.ts';
import { LeaseKeeper, type LeaseParts, RELEASED } from './lease-keeper.ts';
import { type Claim, giveLeasesBack, takeLeases, viewLeases } from './lease-table.ts';
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

export const createLeases = (parts: Pick<LeaseParts, 'store' | 'clock' | 'log'>): ProcessLeases => {
  let hasBegun = false;
  const holder = `${hostname()} ${process.pid}`;
  const desk = openDesk(parts.store);
  const keepers = new Map<string, LeaseKeeper>();
  return {
    hold(name, { onAcquired } = {}) {
      if (keepers.has(name)) throw new Error(`the lease ${name} is wanted twice in one process`);
      const keeper = new LeaseKeeper(name, () => onAcquired?.(), { ...parts, ...desk, holder });
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

/** The lock of all claims that are made together. It blocks no tenant's writes. */
const LOCK = 'leases';

/**
 * Answers all claims of one turn together, because each snapshot occupies a connection of its own, and each commit
 * waits for the disk.
 */
const openDesk = (store: FactStore): Pick<LeaseParts, 'view' | 'take' | 'giveBack'> => ({
  view: together((claims) => store.read((snapshot) => viewLeases(snapshot, claims))),
  take: together((claims) => store.write(LOCK, (transaction) => takeLeases(transaction, claims))),
  giveBack: together(async (claims) => {
    await store.write(LOCK, async (transaction) => {
      if (await giveLeasesBack(transaction, claims)) transaction.signal(RELEASED);
    });
    return new Map<Claim, void>();
  }),
});

/** Collects the claims of one turn, and does the work for all of them at once. */
const together = <T>(work: (claims: readonly Claim[]) => Promise<ReadonlyMap<Claim, T>>) => {
  let claims: Claim[] = [];
  let working: Promise<ReadonlyMap<Claim, T>> | undefined;
  const begin = (): Promise<ReadonlyMap<Claim, T>> => {
    const collected = claims;
    claims = [];
    working = undefined;
    return work(collected);
  };
  return async (claim: Claim): Promise<T> => {
    claims.push(claim);
    working ??= Promise.resolve().then(begin);
    return (await working).get(claim) as T;
  };
};
