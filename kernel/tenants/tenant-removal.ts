import { defineRef, type FactStore } from '../../ports/ports.ts';
import type { FactErasure } from '../facts/fact-erasure.ts';
import type { HookCaller } from '../hooks/define-hook.ts';
import { tenantErased } from '../hooks/kernel-hooks.ts';
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
  /** Destroys what this process holds in memory of a tenant whose rows are deleted (`tenant:erased`). */
  forget(tenantId: string): Promise<void>;
  /**
   * The same, and then removes from files what was deleted. Returns what is out of reach, as sentences for people.
   */
  scrub(tenantId: string): Promise<readonly string[]>;
}

export type RecordRemoval = (transaction: PluginTransaction, removed: ReadonlyMap<string, number>) => Promise<void>;

export const TenantRemoval = defineRef<TenantRemoval>('kernel.tenant-removal');

export interface RemovalParts {
  readonly store: Pick<FactStore, 'removeTenant'>;
  readonly hooks: HookCaller;
  readonly erasure: Pick<FactErasure, 'scrub'>;
}

export const createTenantRemoval = ({ store, hooks, erasure }: RemovalParts): TenantRemoval => {
  const forget = async (tenantId: string): Promise<void> => {
    await hooks.collect(tenantErased, { tenantId });
  };
  return {
    step: (tenantId, limit, record) =>
      store.removeTenant(tenantId, limit, (transaction, removed) => record(narrowTransaction(transaction), removed)),
    forget,
    async scrub(tenantId) {
      // Memory first, because files of plugins are written anew from it.
      await forget(tenantId);
      return erasure.scrub();
    },
  };
};
