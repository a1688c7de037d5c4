import type { StoredRows } from '../../kernel/plugin-api.ts';
import type { StoreCheck } from './backup-api.ts';

const HINT = 'somebody changed the store past the node, or the disk is damaged: restore a backup';

/** Checks the sealed columns of all plugins. */
export const createRowCheck = (rows: StoredRows): StoreCheck => ({
  name: 'rows',
  summary: 'the sealed columns of all tables',
  async begin({ find }) {
    await rows.check((message, tenantId) => find({ tenantId, message, hint: HINT }));
    return {};
  },
});
