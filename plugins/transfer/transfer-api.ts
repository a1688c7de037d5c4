import { defineFeedKind } from '../../kernel/internal-api.ts';
import {
  defineCollectHook,
  defineRef,
  type PluginSnapshot,
  type PluginTransaction,
  type ReadableTables,
  type SqlValue,
} from '../../kernel/plugin-api.ts';

/** The feed kind of an expiry that an import brought. Its subject is the fact that expires. */
export const EXPIRY_IMPORTED = defineFeedKind('expiry', { summary: 'an import set when a fact expires' });

/** One line of an export as JSON, without its `type`. */
export type TransferLine = Readonly<Record<string, unknown>>;

/** The lines that one plugin adds to the export of a tenant, after all facts. */
export interface TransferSection {
  /** The `type` of its lines. */
  readonly type: string;
  /** Yields its lines in pages, in the same order for every engine. All pages come from one snapshot. */
  pages(snapshot: PluginSnapshot, tenantId: string): AsyncIterable<readonly TransferLine[]>;
  /**
   * Imports one line, after the facts that it refers to. Returns true if anything changed. Idempotent. Throws
   * `validation`, before it writes, for a line that it cannot have written.
   */
  take(transaction: PluginTransaction, tenantId: string, line: TransferLine): Promise<boolean>;
}

const ROWS_PER_PAGE = 500;

/** Yields the rows of a tenant in a table, page by page, in the order of `key`, a text that is unique in the tenant. */
export async function* rowPages(
  own: ReadableTables,
  table: string,
  key: string,
  tenantId: string,
): AsyncGenerator<Record<string, SqlValue>[]> {
  for (let after = ''; ; ) {
    const query = own(table).where('tenant_id', tenantId).where(key, '>', after);
    const rows: Record<string, SqlValue>[] = await query.orderBy(key).limit(ROWS_PER_PAGE);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = String(last[key]);
  }
}

/** Runs once per export or import. Collects the rows that cannot be derived from facts alone. */
export const tenantTransfer = defineCollectHook<Record<string, never>, TransferSection>('tenant:transfer');

/** Writes finished lines, each with its line end. Resolves when it can accept more. */
export type LineSink = (lines: readonly string[], facts: number) => Promise<void>;

/** The number of exported facts, and of damaged ones that were left out. */
export interface Exported {
  readonly facts: number;
  readonly damaged: number;
}

/** The message of a command whose export left damaged facts out. */
export const leftOut = (damaged: number): string =>
  `${damaged} damaged facts were left out\n  hint: "fact-memory-node verify" names them; restore a backup\n`;

/** The first line of an export, which names its tenant. */
export interface TransferHeader {
  readonly nodeId: string;
  readonly serviceName: string;
  readonly tenantId: string;
  /** Identifies the history of the store's feed; changes after a restore. */
  readonly epoch: string;
}

/** A line of an export, with its number in the file. */
export interface NumberedText {
  readonly number: number;
  readonly text: string;
}

/** The result of importing some lines. */
export interface ImportedLines {
  readonly facts: number;
  /** Number of facts that this store did not have. */
  readonly stored: number;
  /** Number of facts that this store had already. */
  readonly known: number;
  readonly refused: readonly { readonly number: number; readonly reason: string }[];
  /** Number of facts in the file. Null until its last line is read. */
  readonly announced: number | null;
}

/** One file being imported. */
export interface TenantImport {
  readonly header: TransferHeader;
  /** True if the same node has made the export. */
  readonly sameNode: boolean;
  /** Imports lines in one transaction, in the order of the file. Known lines change nothing. */
  take(lines: readonly NumberedText[]): Promise<ImportedLines>;
}

/**
 * Moves a tenant from one store into another, of any engine: facts with their identifiers and origin stamps, and all
 * derived data. The README of the plugin describes the lines. Checks no rights, because it is for the operator.
 */
export interface TenantTransfer {
  /** Number of facts in an export made now. */
  count(tenantId: string): Promise<number>;
  /**
   * Writes every line. Holds at most one page in memory. Rejects with `conflict` for a damaged row that an import must
   * not lack, such as the rule of a namespace.
   */
  export(tenantId: string, sink: LineSink): Promise<Exported>;
  /**
   * Reads the first line of an export. Throws `validation`, or `conflict` for an export of a service with another name.
   */
  openImport(header: string): Promise<TenantImport>;
}

export const TenantTransfer = defineRef<TenantTransfer>('transfer.tenant-transfer');
