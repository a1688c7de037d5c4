import type { StoreCopies } from '../../kernel/plugin-api.ts';
import type { StoreCheck } from './backup-api.ts';

const HINT = 'stop the node, keep a copy of the store, and restore a backup; an export of this store may be incomplete';

/** Checks the tables of the store against their indexes. A damaged index hides facts from lists that others count. */
export const createStructureCheck = (copies: StoreCopies): StoreCheck => ({
  name: 'structure',
  summary: 'the tables of the store against their indexes, by the engine itself',
  async begin({ advance, find, note }) {
    const checked = await copies.checkStructure((done, total) => advance({ unit: 'tables and indexes', done, total }));
    note(checked?.method ?? 'not checked: the adapter of the store has no such check');
    for (const message of checked?.faults ?? []) find({ tenantId: null, message, hint: HINT });
    return {};
  },
});
