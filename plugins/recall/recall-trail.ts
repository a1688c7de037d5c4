import { coalesce, type Principal } from '../../kernel/plugin-api.ts';
import type { AuditEntry, AuditLog } from '../audit/audit-api.ts';
import { grouped } from './grouped.ts';
import { FACT_READ } from './recall-words.ts';

/**
 * Leaves the entry that every recall must leave; recalls that end while entries are being written share the next write.
 */
export class RecallTrail {
  readonly #audit: AuditLog | undefined;
  #waiting: AuditEntry[] = [];
  readonly #write = coalesce(() => this.#writeAll());

  constructor(audit: AuditLog | undefined) {
    this.#audit = audit;
  }

  /**
   * Resolves when the entry is durable. The hash identifies the query to readers who know it already, and says nothing
   * to others.
   */
  async record(caller: Principal, recallId: string, queryHash: string): Promise<void> {
    if (this.#audit === undefined) return;
    const { tenantId, entityUri, oidcSub } = caller;
    const detail = { action: 'recall', recall_id: recallId, query_hash: queryHash };
    this.#waiting.push({ event: FACT_READ, tenantId, entityUri, oidcSub, detail });
    // The write under way has taken its entries already: this one goes with the next.
    await this.#write();
  }

  async #writeAll(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = [];
    for (const some of grouped(entries, ({ tenantId }) => tenantId).values()) await this.#audit?.record(some);
  }
}
