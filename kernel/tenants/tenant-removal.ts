import { defineRef, type FactStore } from '../../ports/ports.ts';
import type { FactErasure } from '../facts/fact-erasure.ts';
import { narrowTransaction } from '../store/narrow-transaction.ts';
import type { PluginTransaction } from '../store/plugin-transaction.ts';

/** Deletes everything of one tenant, whatever plugin keeps it. Irreversible, and repeatable after a crash. */
export interface TenantRemoval {
  /**
   * Deletes up to `limit` rows of the tenant, in a transaction of the tenant in which `record` notes how many rows
   * went, by table. Returns whether rows may be left. From the first call on, nothing is stored for the tenant any
   * more.
   */
  step(tenantId: string, limit: number, record: RecordRemoval): Promise<boolean>;
  /** Removes from files what was deleted. Returns what is out of reach, as sentences for people. */
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
