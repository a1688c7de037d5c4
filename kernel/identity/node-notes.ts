import { DEFAULT_TENANT, defineRef, type FactStore } from '../../ports/ports.ts';

/**
 * What a node remembers of itself in its store, text by name. Shared by all processes on the store; not for secrets.
 */
export interface NodeNotes {
  /** Undefined for what was never noted. */
  read(name: string): Promise<string | undefined>;
  /** Replaces what was noted. */
  write(name: string, text: string): Promise<void>;
  /** Whether a fact was ever stored here. */
  hasFacts(): Promise<boolean>;
}

export const NodeNotes = defineRef<NodeNotes>('kernel.node-notes');

const TABLE = 'node_settings';
/** Keeps notes apart from the identity, which lies in the same table. */
const PREFIX = 'note:';

/** On a store whose core tables are there. */
export const createNodeNotes = (store: FactStore): NodeNotes => ({
  async read(name) {
    const [row] = await store.read((snapshot) => snapshot.select(TABLE, { key: `${PREFIX}${name}` }));
    return row === undefined ? undefined : String(row['value']);
  },
  write: (name, text) =>
    store.write(DEFAULT_TENANT, async (transaction) => {
      const key = `${PREFIX}${name}`;
      await transaction.table(TABLE).where({ key }).delete();
      await transaction.insertRows(TABLE, [{ key, value: text }]);
    }),
  hasFacts: async () => (await store.read((snapshot) => snapshot.head())) !== null,
});
