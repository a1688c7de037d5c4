import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import type { PluginTables } from '../../../kernel/plugins/plugin-definition.ts';
import { createPluginTables } from '../../../kernel/plugins/plugin-tables.ts';
import { ContentBorder, type ContentColumns } from '../../../kernel/store/content-border.ts';
import { addPeriod } from '../../../kernel/store/period-rows.ts';
import type { ContentSeal, FactStore, Migration, Row } from '../../../ports/ports.ts';
import type { StoreKind } from '../../kit/for-each-store.ts';
import { createSealedStore, type SealedStore } from '../../kit/sealed-store.ts';

export const NOTES = 'acme_notes';

const MIGRATION: Migration = {
  number: 900,
  name: 'notes',
  up: async ({ schema }) => {
    await schema.createTable(NOTES, (table) => {
      table.text('tenant_id').notNullable();
      table.text('id').notNullable();
      table.text('said');
      table.text('reply');
      addPeriod(table);
      table.primary(['tenant_id', 'id']);
    });
  },
};

export const NOTE_COLUMNS: ContentColumns = { table: NOTES, key: ['tenant_id', 'id'], expiring: ['said', 'reply'] };

export const TENANT = 'a';

/** A process with keys of its own memory on the shared store. */
export interface NoteProcess {
  readonly store: FactStore;
  readonly tables: PluginTables;
}

/** A sealed store with a table whose rows have keys of periods. */
export class ExpiringNotes {
  readonly #sealed: SealedStore;
  readonly first: NoteProcess;

  private constructor(sealed: SealedStore) {
    this.#sealed = sealed;
    this.first = processOn(sealed.store, sealed.keys.seal);
  }

  static async on(kind: StoreKind): Promise<ExpiringNotes> {
    const sealed = await createSealedStore(kind);
    await sealed.store.migrate([...CORE_MIGRATIONS, { ...MIGRATION, owner: 'acme' }]);
    const notes = new ExpiringNotes(sealed);
    // The first call only notes when the present period began.
    await notes.turn();
    return notes;
  }

  get keys(): SealedStore['keys'] {
    return this.#sealed.keys;
  }

  async another(seal?: ContentSeal): Promise<NoteProcess> {
    const given = seal ?? (await this.keys.another());
    return processOn(await this.#sealed.another(given), given);
  }

  /** Begins another period, as a process does every day. */
  turn({ store }: Pick<NoteProcess, 'store'> = this.first): Promise<readonly string[] | undefined> {
    return store.endPeriods?.({ tables: [NOTES], everyMs: 0 }) ?? Promise.resolve([]);
  }

  /** Returns the rows as a thief copies them. */
  rows(): Promise<Row[]> {
    return this.#sealed.store.read((snapshot) => snapshot.table(NOTES).orderBy(['tenant_id', 'id']));
  }

  /** Returns what a thief of these rows reads with the present file of keys. */
  async openedIn(rows: readonly Row[]): Promise<string[]> {
    const seal = await this.keys.another();
    return rows.flatMap((row) =>
      ['said', 'reply'].flatMap((column) => {
        const text = row[column];
        if (typeof text !== 'string') return [];
        try {
          return seal.openText({ tenantId: String(row['tenant_id']), table: NOTES, column, row: '' }, text);
        } catch {
          return [];
        }
      }),
    );
  }

  stop(): Promise<void> {
    return this.#sealed.stop();
  }
}

const processOn = (store: FactStore, seal: ContentSeal): NoteProcess => ({
  store,
  tables: createPluginTables(store, 'acme', () => undefined, new ContentBorder(seal, [NOTE_COLUMNS])),
});

/** Adds a note in a transaction of its own. */
export const say = ({ tables }: NoteProcess, id: string, said: string, tenantId = TENANT): Promise<void> =>
  tables.write(tenantId, (own) => own.insertRows(NOTES, [{ tenant_id: tenantId, id, said, reply: null }]));

/** Deletes notes, as a retention does. */
export const forget = async ({ tables }: NoteProcess, ...ids: readonly string[]): Promise<void> => {
  await tables(NOTES).where({ tenant_id: TENANT }).whereIn('id', ids).delete();
};
