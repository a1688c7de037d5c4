import { defineCollectHook, defineRef, type PluginSnapshot, type PluginTransaction } from '../../kernel/plugin-api.ts';

/** One line of an export besides its `type`, as JSON. */
export type TransferLine = Readonly<Record<string, unknown>>;

/** What one plugin adds to the export of a tenant, after all facts. */
export interface TransferSection {
  /** The `type` of its lines. */
  readonly type: string;
  /** Its lines page by page, in an order that does not depend on the engine. All pages come from one snapshot. */
  pages(snapshot: PluginSnapshot, tenantId: string): AsyncIterable<readonly TransferLine[]>;
  /**
   * Takes in one line, after the facts that it speaks of, and returns whether anything changed. Idempotent. Throws
   * `validation`, before it writes, for a line that it cannot have written.
   */
  take(transaction: PluginTransaction, tenantId: string, line: TransferLine): Promise<boolean>;
}

/** Asked once per export or import: rows that follow from facts and cannot be told from them alone. */
export const tenantTransfer = defineCollectHook<Record<string, never>, TransferSection>('tenant:transfer');

/** Takes finished lines, each with its line end, and resolves when more may come. */
export type LineSink = (lines: readonly string[], facts: number) => Promise<void>;

/** The first line of an export: whose facts follow. */
export interface TransferHeader {
  readonly nodeId: string;
  readonly serviceName: string;
  readonly tenantId: string;
  /** Changes whenever a store went back in time; says which run of the feed this is. */
  readonly epoch: string;
}

/** A line of an export, with its number in the file. */
export interface NumberedText {
  readonly number: number;
  readonly text: string;
}

/** What became of some lines. */
export interface ImportedLines {
  readonly facts: number;
  /** Facts that were new here. */
  readonly stored: number;
  readonly refused: readonly { readonly number: number; readonly reason: string }[];
  /** Facts that the file says it holds, once its last line came by. */
  readonly announced: number | null;
}

/** One file on its way in. */
export interface TenantImport {
  readonly header: TransferHeader;
  /** False when the file comes from another node than this one. */
  readonly sameNode: boolean;
  /** Takes in lines in one transaction, in the order of the file. What is known already changes nothing. */
  take(lines: readonly NumberedText[]): Promise<ImportedLines>;
}

/**
 * Takes a tenant out of one store and into another, of any engine: facts with their identifiers and origin stamps, and
 * all that follows from them. The README of the plugin describes the lines. Asks for no right: it is for the operator.
 */
export interface TenantTransfer {
  /** Facts that an export would hold now. */
  count(tenantId: string): Promise<number>;
  /** Hands over every line and returns the number of facts. Never has more than one page in memory. */
  export(tenantId: string, sink: LineSink): Promise<number>;
  /**
   * Reads the first line of an export. Throws `validation`, or `conflict` when it comes from a service of another name.
   */
  openImport(header: string): Promise<TenantImport>;
}

export const TenantTransfer = defineRef<TenantTransfer>('transfer.tenant-transfer');
