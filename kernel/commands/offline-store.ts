import type {
  AssembledStore,
  AssembleRequest,
  OwnedMigration,
  RestoredPlace,
  RestoreRequest,
} from '../../ports/ports.ts';
import type { KeyCopyPlace, StoreCopies } from '../leases/store-copies.ts';

/** The configured store without a running node, for commands that must work even when no node can start. */
export interface OfflineStore {
  /** Opens a store of any version without migrating it. Rejects with `lookup` when there is none. */
  withCopies<T>(work: (copies: StoreCopies) => Promise<T>): Promise<T>;
  /**
   * Replaces this store by a copy. Migrates the copy to this program's version, gives it a new epoch, and sets its
   * clock ahead of every stamp that may exist. See `StoreAdapter.restore`. A sealed copy gets the newest of its keys
   * that are known, and is refused without them.
   */
  restore(request: StoreRestore): Promise<RestoredPlace & SteppedClock>;
  /** Puts a store together from increments. See `StoreAdapter.assemble`. */
  assemble(request: AssembleRequest): Promise<AssembledStore>;
  /** Returns the changes that a start of this program would make to the store. Read-only. */
  inspectUpgrade(): Promise<UpgradePlan>;
}

export interface StoreRestore extends Pick<RestoreRequest, 'folder' | 'copy' | 'replaces' | 'label' | 'onProgress'> {
  /** The place of the copy, where `StoreCopies.placeKeys` has put the keys of a sealed store. */
  readonly keysIn: KeyCopyPlace;
}

/** The change of a restored store's clock, in milliseconds since the epoch. */
export interface SteppedClock {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface UpgradePlan {
  /** The migrations that would be applied, in order. */
  readonly pending: readonly Pick<OwnedMigration, 'number' | 'name' | 'owner'>[];
  /** The newest applied migration of the store. */
  readonly newest: string | null;
  /** The number of facts in the store, from its ledgers. */
  readonly facts: number;
  readonly storeBytes: number | null;
  readonly freeBytes: number | null;
  /** The reasons why a start would refuse the store; empty when it would not. */
  readonly problems: readonly { readonly message: string; readonly hint?: string | undefined }[];
}
