import type { Principal } from '../../kernel/plugin-api.ts';
import type { AuditEntry, AuditLog } from '../audit/audit-api.ts';
import { FACT_READ } from './recall-words.ts';

/** Writes the audit entry that every recall needs. */
export class RecallTrail {
  readonly #audit: AuditLog | undefined;

  constructor(audit: AuditLog | undefined) {
    this.#audit = audit;
  }

  /**
   * Rejects if entries cannot be stored; the recall must then fail. The hash identifies the query only to readers who
   * know it already.
   */
  async record(caller: Principal, recallId: string, queryHash: string): Promise<void> {
    if (this.#audit === undefined) return;
    const { tenantId, entityUri, oidcSub } = caller;
    const detail = { action: 'recall', recall_id: recallId, query_hash: queryHash };
    const entry: AuditEntry = { event: FACT_READ, tenantId, entityUri, oidcSub, detail };
    await this.#audit.recordSoon(entry);
  }
}
