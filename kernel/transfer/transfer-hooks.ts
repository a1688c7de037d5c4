import { defineCollectHook } from '../hooks/define-hook.ts';
import type { PluginSnapshot, PluginTransaction } from '../store/plugin-transaction.ts';

/** One line of an export besides its `type`, as JSON. */
export type TransferLine = Readonly<Record<string, unknown>>;

/** What one plugin adds to the export of a tenant, after all facts. */
export interface TransferSection {
  /** The `type` of its lines. */
  readonly type: string;
  /** Its lines page by page, in an order that does not depend on the engine. All pages come from one snapshot. */
  pages(snapshot: PluginSnapshot, tenantId: string): AsyncIterable<readonly TransferLine[]>;
  /**
   * Takes in one line, after the facts that it speaks of, and answers whether anything changed. Idempotent. Throws
   * `validation`, before it writes, for a line that it cannot have written.
   */
  take(transaction: PluginTransaction, tenantId: string, line: TransferLine): Promise<boolean>;
}

/** Asked once per export or import: rows that follow from facts and cannot be told from them alone. */
export const tenantTransfer = defineCollectHook<Record<string, never>, TransferSection>('tenant:transfer');
