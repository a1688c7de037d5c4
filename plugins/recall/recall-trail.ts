import { valueBytesOf } from '../../kernel/internal-api.ts';
import type { FactView, Principal } from '../../kernel/plugin-api.ts';
import type { AuditEntry, AuditLog } from '../audit/audit-api.ts';
import { FACT_READ } from './recall-words.ts';

/** The maximum number of facts that an entry names. The number of all is beside them. */
const MOST_NAMED = 10;

/** A recall that was answered. */
export interface AnsweredRecall {
  readonly recallId: string;
  readonly queryHash: string;
  readonly tokensUsed: number;
  /** The returned facts that are in the store, best first. */
  readonly returned: readonly FactView[];
}

/** Writes the audit entry that every recall needs. */
export class RecallTrail {
  readonly #audit: AuditLog | undefined;

  constructor(audit: AuditLog | undefined) {
    this.#audit = audit;
  }

  /**
   * Rejects if entries cannot be stored; the recall must then fail. The hash identifies the query only to readers who
   * know it already. Facts are named by their ids, so that a reader of the log sees of them what that reader may see.
   */
  async record(caller: Principal, { recallId, queryHash, tokensUsed, returned }: AnsweredRecall): Promise<void> {
    if (this.#audit === undefined) return;
    const { tenantId, entityUri, oidcSub, keyId } = caller;
    const facts = returned.map(({ fact }) => fact);
    const detail = {
      action: 'recall',
      recall_id: recallId,
      query_hash: queryHash,
      key_id: keyId,
      tokens: tokensUsed,
      bytes: valueBytesOf(facts),
      facts: facts.length,
      fact_ids: facts.slice(0, MOST_NAMED).map(({ id }) => id),
    };
    const entry: AuditEntry = { event: FACT_READ, tenantId, entityUri, oidcSub, detail };
    await this.#audit.recordSoon(entry);
  }
}
