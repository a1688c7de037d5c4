import type { Principal } from '../../kernel/plugin-api.ts';
import type { AuditEntry, AuditLog } from '../audit/audit-api.ts';
import { FACT_READ } from './recall-words.ts';

/** Leaves the entry that every recall must leave. */
export class RecallTrail {
  readonly #audit: AuditLog | undefined;

  constructor(audit: AuditLog | undefined) {
    this.#audit = audit;
  }

  /**
   * Rejects while entries cannot be stored: then the recall must not be answered. The hash identifies the query to
   * readers who know it already, and says nothing to others.
   */
  async record(caller: Principal, recallId: string, queryHash: string): Promise<void> {
    if (this.#audit === undefined) return;
    const { tenantId, entityUri, oidcSub } = caller;
    const detail = { action: 'recall', recall_id: recallId, query_hash: queryHash };
    const entry: AuditEntry = { event: FACT_READ, tenantId, entityUri, oidcSub, detail };
    await this.#audit.recordSoon(entry);
  }
}
