import {
  type Clock,
  type CopyOptions,
  defineRef,
  type FactStore,
  type ObjectStore,
  ServiceError,
  type StoreCopy,
  type StructureCheck,
  type StructureProgress,
} from '../../ports/ports.ts';
import { storedNodeId } from '../identity/node-record.ts';
import type { Logger } from '../log/logger.ts';
import { createLeases } from './create-leases.ts';
import { type LeaseKeeper, RETRY_MS } from './lease-keeper.ts';
import { LEASE_MS } from './lease-table.ts';

/** Writes a copy of the store into an empty folder. See `FactStore.copyInto`. */
export type CopyInto = (folder: string, options?: CopyOptions) => Promise<StoreCopy>;

/** Work that makes a copy of the store, or tries one out. */
export type WorkOnCopies = 'backup' | 'drill';

/** Makes copies of the store, one at a time. */
export interface StoreCopies {
  /**
   * Runs `work`, which may copy the store, while no other process on the store does work of this kind, by default
   * `backup`. Rejects with `unavailable` when one does, and for a store without support for copies. With `patience`,
   * first waits for as long as a process that was killed keeps others out, unless the signal aborts.
   */
  alone<T>(work: (copyInto: CopyInto) => Promise<T>, kind?: WorkOnCopies, patience?: AbortSignal): Promise<T>;
  /**
   * Compares the tables of the store, of which copies are made, with their indexes. Undefined for a store that cannot.
   * See `FactStore.checkStructure`.
   */
  checkStructure(onProgress: StructureProgress): Promise<StructureCheck | undefined>;
  /** See `FactStore.recordChanges`. Undefined for a store that cannot. */
  readonly recordChanges: FactStore['recordChanges'];
  /** Returns the node that the store belongs to; null for a store that no node has started on. */
  nodeId(): Promise<string | null>;
  /**
   * Puts the present keys of a sealed store beside its copies, in place of former ones, and returns a digest of them.
   * Does nothing for a clear store, and for keys with the digest `placed`, which an earlier call has returned. Rejects
   * with `unavailable` when the place cannot be reached. Rejects too for a place that has the keys of another store.
   */
  placeKeys(place: KeyCopyPlace, placed?: string): Promise<string | undefined>;
}

/** A place that holds copies of the store: a folder of this machine, or a place for objects. */
export type KeyCopyPlace = { readonly folder: string } | { readonly target: ObjectStore };

export const StoreCopies = defineRef<StoreCopies>('kernel.store-copies');

export interface StoreCopiesParts {
  readonly store: FactStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly placeKeys?: StoreCopies['placeKeys'] | undefined;
}

const LEASES: Readonly<Record<WorkOnCopies, string>> = { backup: 'store.copy', drill: 'store.drill' };

/** Uses a new lease for each piece of work. It is released at the end, and expires by itself when the process dies. */
export const createStoreCopies = (parts: StoreCopiesParts): StoreCopies => {
  const { store } = parts;
  const working = new Set<WorkOnCopies>();
  return {
    checkStructure: async (onProgress) => store.checkStructure?.(onProgress),
    recordChanges: store.recordChanges?.bind(store),
    nodeId: () => storedNodeId(store),
    placeKeys: async (place, placed) => parts.placeKeys?.(place, placed),
    async alone(work, kind = 'backup', patience = undefined) {
      const { copyInto } = store;
      if (copyInto === undefined) throw cannotCopy();
      if (working.has(kind)) throw busy(kind);
      working.add(kind);
      const leases = createLeases(parts);
      try {
        // A command makes copies as well.
        await leases.begin();
        if (!(await acquire(leases.hold(LEASES[kind]), parts.clock, patience))) throw busy(kind);
        return await work((folder, options) => copyInto.call(store, folder, options));
      } finally {
        working.delete(kind);
        await leases.close();
      }
    },
  };
};

/**
 * Tries to get a lease. Waits while its holder may have died before the clock was set back, and with `patience` until
 * the lease of a holder that died has ended. Rejects with the error of a store that fails until then.
 */
const acquire = async (lease: LeaseKeeper, clock: Clock, patience: AbortSignal | undefined): Promise<boolean> => {
  const untilMs = clock.monotonicMs() + (patience === undefined ? 0 : LEASE_MS + RETRY_MS);
  while (!(await lease.attempt())) {
    const isOver = !lease.isInDoubt && clock.monotonicMs() >= untilMs;
    // Otherwise a store that takes no writes would look like one on which another process works.
    if (isOver && lease.failure !== undefined) throw lease.failure;
    if (isOver) return false;
    await pause(clock, patience);
    patience?.throwIfAborted();
  }
  return true;
};

const pause = (clock: Clock, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.schedule(RETRY_MS, end);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });

const cannotCopy = (): ServiceError =>
  new ServiceError('unavailable', 'the adapter of this store cannot copy a store', {
    hint: 'back the store up with the tools of its database; "export" writes all facts to a file',
  });

const busy = (kind: WorkOnCopies): ServiceError =>
  new ServiceError('unavailable', `another process makes a ${kind} of this store`, {
    hint: 'wait until it is done; where that process was killed, this takes half a minute at most',
  });
