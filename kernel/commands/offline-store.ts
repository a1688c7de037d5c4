import type { OwnedMigration, RestoredPlace, RestoreRequest } from '../../ports/ports.ts';
import type { StoreCopies } from '../leases/store-copies.ts';

/** The configured store without a node on it, for commands that must work where no node can. */
export interface OfflineStore {
  /** Opens a store of any version as it is. Rejects with `lookup` when there is none. */
  withCopies<T>(work: (copies: StoreCopies) => Promise<T>): Promise<T>;
  /**
   * Replaces this store by a copy. The copy is upgraded to this program and gets a new epoch. Its clock is set ahead of
   * every stamp that may have been given. See `StoreAdapter.restore`.
   */
  restore(request: StoreRestore): Promise<RestoredPlace & SteppedClock>;
  /** Returns the changes that a start of this program would make to the store. Changes nothing. */
  inspectUpgrade(): Promise<UpgradePlan>;
}

export type StoreRestore = Pick<RestoreRequest, 'folder' | 'copy' | 'replaces' | 'label' | 'onProgress'>;

/** How the clock of a restored store was stepped, milliseconds since the epoch. */
export interface SteppedClock {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface UpgradePlan {
  /** Migrations that would be applied, in order. */
  readonly pending: readonly Pick<OwnedMigration, 'number' | 'name' | 'owner'>[];
  /** The newest migration that the store has had. */
  readonly newest: string | null;
  /** Facts in the store, counted by its ledgers. */
  readonly facts: number;
  readonly storeBytes: number | null;
  readonly freeBytes: number | null;
  /** Reasons for which a start would refuse the store; empty when it would not. */
  readonly problems: readonly { readonly message: string; readonly hint?: string | undefined }[];
}
