import { defineRef, type FactStore } from '../../ports/ports.ts';
import type { FactErasure } from '../facts/fact-erasure.ts';
import { narrowTransaction } from '../store/narrow-transaction.ts';
import type { PluginTransaction } from '../store/plugin-transaction.ts';

/** Deletes all data of one tenant, including that of plugins. Irreversible; repeatable after a crash. */
export interface TenantRemoval {
  /**
   * Deletes up to `limit` rows of the tenant. In the same transaction `record` notes the numbers of deleted rows, by
   * table. Returns whether rows may be left. From the first call on, nothing more is stored for the tenant.
   */
  step(tenantId: string, limit: number, record: RecordRemoval): Promise<boolean>;
  /** Removes the deleted data from files. Returns sentences about copies that the node cannot reach. */
  scrub(): Promise<readonly string[]>;
}

export type RecordRemoval = (transaction: PluginTransaction, removed: ReadonlyMap<string, number>) => Promise<void>;

export const TenantRemoval = defineRef<TenantRemoval>('kernel.tenant-removal');

export const createTenantRemoval = (
  store: Pick<FactStore, 'removeTenant'>,
  erasure: Pick<FactErasure, 'scrub'>,
): TenantRemoval => ({
  step: (tenantId, limit, record) =>
    store.removeTenant(tenantId, limit, (transaction, removed) => record(narrowTransaction(transaction), removed)),
  scrub: () => erasure.scrub(),
});
