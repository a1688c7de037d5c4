import type { OfflineStore } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';

/** Rejects with `conflict` for a store that a node of this program would upgrade, even without serving. */
export const requireCurrent = async (store: Pick<OfflineStore, 'inspectUpgrade'>): Promise<void> => {
  const { pending } = await store.inspectUpgrade();
  if (pending.length === 0) return;
  throw new ServiceError('conflict', 'the store is older than this program, which would upgrade it', {
    hint: 'run the command with the version that serves the store, or upgrade it first by "fact-memory-node init"',
  });
};
