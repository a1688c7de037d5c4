import { DEFAULT_TENANT, defineRef, type FactStore, type WriteTransaction } from '../../ports/ports.ts';

/**
 * The node's own notes in its store, texts by name. All processes on the store share them; they are not for secrets.
 */
export interface NodeNotes {
  /** Returns a note; undefined for an unknown name. */
  read(name: string): Promise<string | undefined>;
  /** Replaces the note. */
  write(name: string, text: string): Promise<void>;
  /**
   * Replaces the note by the result of `change`, while no other process can change it. Returns the new note. Writes
   * nothing when it is unchanged.
   */
  change(name: string, change: (before: string | undefined) => string): Promise<string>;
}

export const NodeNotes = defineRef<NodeNotes>('kernel.node-notes');

const TABLE = 'node_settings';
/** The prefix that separates notes from the identity in the same table. */
const PREFIX = 'note:';

/** Returns the key of the row that holds a note. */
export const noteKey = (name: string): string => `${PREFIX}${name}`;

/** Creates the notes on a store that has its core tables. */
export const createNodeNotes = (store: FactStore): NodeNotes => ({
  async read(name) {
    const [row] = await store.read((snapshot) => snapshot.select(TABLE, { key: noteKey(name) }));
    return row === undefined ? undefined : String(row['value']);
  },
  write: (name, text) => store.write(DEFAULT_TENANT, (transaction) => replace(transaction, name, text)),
  change: (name, change) =>
    store.write(DEFAULT_TENANT, async (transaction) => {
      const [row] = await transaction.select(TABLE, { key: noteKey(name) });
      const before = row === undefined ? undefined : String(row['value']);
      const text = change(before);
      if (text !== before) await replace(transaction, name, text);
      return text;
    }),
});

const replace = async (transaction: WriteTransaction, name: string, text: string): Promise<void> => {
  const key = noteKey(name);
  await transaction.table(TABLE).where({ key }).delete();
  await transaction.insertRows(TABLE, [{ key, value: text }]);
};
