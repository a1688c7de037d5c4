import type { Knex } from 'knex';
import {
  type BytesPlace,
  type ContentSeal,
  DEFAULT_TENANT,
  type Row,
  SEALED_TEXT,
  ServiceError,
  type SqlValue,
  type TextOwner,
} from '../../ports/ports.ts';
import {
  type Built,
  isRow,
  isWriting,
  openFound,
  PERIOD,
  refuseComparison,
  sealBuilt,
  tenantOf,
} from './built-query.ts';
import { ownedAs, ownerOf } from './content-owner.ts';
import { openBytes, sealBytes } from './sealed-bytes.ts';

/**
 * The columns of a table that repeat what somebody said. On a sealed node the kernel seals them as they are written and
 * opens them as they are read, so that the plugin sees plain content. No statement may compare or order by them. A
 * read or an update of them selects the column `tenant_id`, or narrows it to one tenant by `where`.
 */
export interface ContentColumns {
  readonly table: string;
  /** The columns that identify a row of the table. */
  readonly key: readonly [string, ...string[]];
  /** The columns of texts. */
  readonly texts?: readonly string[];
  /**
   * The columns of texts in rows that the plugin deletes in time, and that may be about many entities. They have the
   * key of the period in which they are written, which is destroyed once no row of that period or an earlier one is
   * left. A restored backup has such rows again: they are deleted before plugins start. The table has a column `period`
   * for integers, null in a clear store, with an index. These texts are written only in transactions.
   */
  readonly expiring?: readonly string[];
  /**
   * True if rows of a restored backup whose keys were destroyed stay until the plugin deletes them. It reads their
   * expiring texts as they are stored: see `isSealedText`.
   */
  readonly keepsEnded?: boolean;
  /**
   * The columns of texts that statements compare by equality: equal texts of a tenant have equal stored forms. Each
   * statement that compares one gives it the form of `tables.hide`.
   */
  readonly hidden?: readonly string[];
  /** The columns of bytes. */
  readonly bytes?: readonly string[];
  /** True if the plugin makes missing rows again. They are deleted when a clear store is sealed, or gets new keys. */
  readonly isDerived?: boolean;
  /**
   * Present if each row belongs to facts about one entity in a scope, and has their key. Each row that is written with
   * content names them by `ownedBy`. Content in `hidden` keeps the key of the tenant.
   */
  readonly owner?: ContentOwner;
}

export interface ContentOwner {
  /** The column with the id of a fact about the entity; null in a derived table. */
  readonly fact: string | null;
}

/** Returns the period with whose keys a transaction seals. */
export type ReadPeriod = () => Promise<number | undefined>;

type Where = Readonly<Record<string, SqlValue | readonly SqlValue[]>>;
type RowConversion = (columns: ContentColumns, tenantId: string | undefined, row: Row, period?: number) => Row;

/** Seals and opens the content in the rows of one plugin. Without a seal, every row passes as it is. */
export class ContentBorder {
  readonly #seal: ContentSeal | undefined;
  readonly #tables: ReadonlyMap<string, ContentColumns>;

  constructor(seal: ContentSeal | undefined, tables: readonly ContentColumns[]) {
    this.#seal = seal;
    this.#tables = new Map(tables.map((columns) => [columns.table, columns]));
  }

  hasContent(table: string): boolean {
    return this.#columnsOf(table) !== undefined;
  }

  /** Returns whether rows of the table are written with the key of a period. */
  hasPeriods(table: string): boolean {
    return isExpiring(this.#columnsOf(table));
  }

  /**
   * Returns the rows with their content sealed. Each has its `tenant_id`, unless the table is one of the node. `period`
   * is only for a table with `hasPeriods`.
   */
  toStore(table: string, rows: readonly Row[], period?: number): readonly Row[] {
    const columns = this.#columnsOf(table);
    return columns === undefined ? rows : rows.map((row) => this.#inserted(columns, row, period));
  }

  /** Returns the rows with their content opened. `where` tells the tenant of rows that do not name it. */
  fromStore<R extends Row>(table: string, rows: readonly R[], where: Where = {}): R[] {
    const columns = this.#columnsOf(table);
    const { tenant_id: tenantId } = where;
    const defaultTenantId = typeof tenantId === 'string' ? tenantId : undefined;
    return columns === undefined ? [...rows] : rows.map((row) => this.#opened(columns, defaultTenantId, row) as R);
  }

  /** Lets a query builder seal what it writes and open what it reads. `readPeriod` is that of its transaction. */
  sealQuery(table: string, query: Knex.QueryBuilder, readPeriod?: ReadPeriod): Knex.QueryBuilder {
    const columns = this.#columnsOf(table);
    return columns === undefined ? query : this.#sealQuery(columns, query, readPeriod);
  }

  /** Hides a text that the column compares by equality: see `ReadableTables.hide`. */
  hide(tenantId: string, table: string, column: string, text: string): string {
    return this.#seal === undefined ? text : this.#seal.hideText({ tenantId, table, column }, text);
  }

  show(tenantId: string, table: string, column: string, hidden: string): string {
    return this.#seal === undefined ? hidden : this.#seal.showText({ tenantId, table, column }, hidden);
  }

  #columnsOf(table: string): ContentColumns | undefined {
    return this.#seal === undefined ? undefined : this.#tables.get(table);
  }

  /** Changes the builder itself, because each of its methods returns it. */
  #sealQuery(columns: ContentColumns, query: Knex.QueryBuilder, readPeriod: ReadPeriod | undefined): Knex.QueryBuilder {
    const built = query as unknown as Built;
    const { then, clone, update } = built;
    const sealed = new Set([...(columns.texts ?? []), ...(columns.expiring ?? []), ...(columns.bytes ?? [])]);
    let isSealed = false;
    // knex copies only the members with names.
    built.update = (...given) => {
      const updated = update.call(built, ...given);
      if (isRow(given[0]) && built._single.update !== undefined) {
        built._single.update = { ...built._single.update, ...ownedAs(given[0]) };
      }
      return updated;
    };
    // biome-ignore lint/suspicious/noThenProperty: knex runs a query when somebody waits for it
    built.then = (done, failed) => {
      const tenantId = tenantOf(built);
      refuseComparison(built, sealed);
      const run = (period?: number): Promise<unknown> => {
        if (!isSealed) {
          sealBuilt(built, {
            insert: (row) => this.#inserted(columns, row, period),
            update: (row, named) => this.#sealed(columns, named ?? tenantId, row, period),
            hasPeriods: isExpiring(columns),
          });
        }
        isSealed = true;
        return then.call(built).then((found) => openFound(found, (row) => this.#opened(columns, tenantId, row)));
      };
      const isPlain = isSealed || !isExpiring(columns) || !isWriting(built, columns.expiring ?? []);
      const ran = isPlain ? run() : periodOf(columns, readPeriod).then(run);
      return ran.then(done as undefined, failed as undefined);
    };
    built.clone = () => this.#sealQuery(columns, clone.call(built) as never, readPeriod) as unknown as Built;
    return query;
  }

  #inserted(columns: ContentColumns, row: Row, period: number | undefined): Row {
    const sealed = this.#sealed(columns, undefined, row, period);
    return isExpiring(columns) ? { ...sealed, [PERIOD]: period ?? null } : sealed;
  }

  readonly #sealed: RowConversion = (columns, defaultTenantId, row, period) =>
    this.#convertRow(columns, defaultTenantId, row, {
      owner: sealedFor,
      period,
      text: (seal, place, text) => seal.sealText(place, text),
      hidden: (seal, place, text) => seal.hideText(place, text),
      bytes: sealBytes,
    });

  readonly #opened: RowConversion = (columns, defaultTenantId, row) =>
    this.#convertRow(columns, defaultTenantId, row, {
      owner: () => undefined,
      text: (seal, place, text) => openOrKeepStored(text, () => seal.openText(place, text)),
      hidden: (seal, place, text) => openOrKeepStored(text, () => seal.showText(place, text)),
      bytes: (seal, place, bytes) => openOrKeepStored(bytes, () => openBytes(seal, place, bytes)),
    });

  #convertRow(columns: ContentColumns, defaultTenantId: string | undefined, row: Row, convert: CellConversion): Row {
    const seal = this.#seal as ContentSeal;
    const { table, texts = [], expiring = [], hidden = [], bytes = [] } = columns;
    const changed: Record<string, SqlValue> = {};
    const keyFor = (column: string) =>
      expiring.includes(column) ? { period: convert.period } : { owner: convert.owner(columns, row) };
    for (const column of [...texts, ...expiring, ...hidden]) {
      const value = row[column];
      if (typeof value !== 'string') continue;
      const place = { tenantId: this.#tenantOf(columns, defaultTenantId, row), table, column };
      const isHidden = hidden.includes(column);
      changed[column] = isHidden
        ? convert.hidden(seal, place, value)
        : convert.text(seal, { ...place, row: '', ...keyFor(column) }, value);
    }
    for (const column of bytes) {
      const value = row[column];
      if (!(value instanceof Uint8Array)) continue;
      const place = { tenantId: this.#tenantOf(columns, defaultTenantId, row), name: `${table}.${column}` };
      changed[column] = convert.bytes(seal, { ...place, owner: convert.owner(columns, row) }, value);
    }
    return { ...row, ...changed };
  }

  #tenantOf({ table, key }: ContentColumns, defaultTenantId: string | undefined, row: Row): string {
    const tenantId = row['tenant_id'] ?? defaultTenantId;
    if (typeof tenantId === 'string') return tenantId;
    // The key of a table of tenants begins with the tenant.
    if (!key.includes('tenant_id')) return DEFAULT_TENANT;
    throw new Error(`a statement on ${table} touches content of an unknown tenant: select tenant_id, or narrow it`);
  }
}

/** Returns the owner of a row that is written; undefined for the tenant. */
const sealedFor = ({ table, owner }: ContentColumns, row: Row): TextOwner | undefined => {
  if (owner === undefined) return undefined;
  const named = ownerOf(row);
  if (named === undefined) throw new Error(`a statement writes content of ${table} for an unknown entity: use ownedBy`);
  return named ?? undefined;
};

interface CellConversion {
  readonly period?: number | undefined;
  owner(columns: ContentColumns, row: Row): TextOwner | undefined;
  text(seal: ContentSeal, place: Parameters<ContentSeal['sealText']>[0], text: string): string;
  hidden(seal: ContentSeal, place: Parameters<ContentSeal['hideText']>[0], text: string): string;
  bytes(seal: ContentSeal, place: BytesPlace, bytes: Uint8Array): Uint8Array;
}

/**
 * Returns content that does not open as it is stored: somebody has changed or moved it. One such row must not end the
 * reads of all others. Where a column has a digest or a chain besides, the row counts as damaged.
 */
export const openOrKeepStored = <T>(stored: T, open: () => T): T => {
  try {
    return open();
  } catch (error) {
    if (error instanceof ServiceError) return stored;
    throw error;
  }
};

/** Returns whether a text that was read is still sealed, so that no present key opens it. */
export const isSealedText = (text: string): boolean => text.startsWith(SEALED_TEXT);

/** Returns whether rows of a table have keys of periods. */
export const isExpiring = (columns: ContentColumns | undefined): boolean => (columns?.expiring ?? []).length > 0;

const periodOf = async ({ table }: ContentColumns, readPeriod: ReadPeriod | undefined): Promise<number | undefined> => {
  if (readPeriod !== undefined) return readPeriod();
  throw new Error(`a statement writes ${table} outside a transaction, where it cannot know the period of its keys`);
};
