import { narrowSnapshot, narrowTransaction } from '../../kernel/store/narrow-transaction.ts';
import type { PluginSnapshot, PluginTransaction } from '../../kernel/store/plugin-transaction.ts';
import type { FactStore } from '../../ports/ports.ts';

export interface PluginStore {
  read<T>(work: (snapshot: PluginSnapshot) => Promise<T>): Promise<T>;
  write<T>(tenantId: string, work: (transaction: PluginTransaction) => Promise<T>): Promise<T>;
}

/** Wraps the snapshots and transactions of a store as plugins receive them, for tests of parts of a plugin. */
export const pluginStore = (store: Pick<FactStore, 'read' | 'write'>): PluginStore => ({
  read: (work) => store.read((snapshot) => work(narrowSnapshot(snapshot))),
  write: (tenantId, work) => store.write(tenantId, (transaction) => work(narrowTransaction(transaction))),
});
