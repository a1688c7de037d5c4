import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import {
  billingLine,
  type CeilingFact,
  type CeilingRow,
  CeilingRows,
  type CeilingStore,
  replyText,
  TENANT,
} from './ceiling-row.ts';

const MAX_GROUP = 256;

interface Waiting {
  readonly fact: CeilingFact;
  readonly resolve: (reply: string) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * All assertions that wait share one transaction, and each is answered after its commit. The driver is synchronous, so
 * requests gather while the event loop is inside the transaction before: no timer is needed, and none is used.
 */
export class GroupCommit implements CeilingStore {
  readonly #database: DatabaseSyncInstance;
  readonly #siblings: StatementSyncInstance;
  readonly #insertFact: StatementSyncInstance;
  readonly #insertAudit: StatementSyncInstance;
  readonly #rows = new CeilingRows();
  #waiting: Waiting[] = [];
  #scheduled = false;

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
    this.#siblings = database.prepare(
      `SELECT id, value_type, value_v FROM facts
       WHERE tenant_id = ? AND entity_key = ? AND relation_key = ? AND scope = ? AND confidence > 0 LIMIT 64`,
    );
    this.#insertFact = database.prepare(
      `INSERT INTO facts (id, tenant_id, entity, relation, entity_key, relation_key, value_type, value_v, source, timestamp,
         timestamp_ms, hlc_wall, hlc_ctr, confidence, scope, valid_until, cid, asserted_by)
       VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
    );
    this.#insertAudit = database.prepare(
      'INSERT INTO audit (id, tenant_id, event_type, entity_uri, fact_id, source, ts) VALUES (?,?,?,?,?,?,?)',
    );
  }

  append(fact: CeilingFact): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ fact, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => this.#commit());
    });
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #commit(): void {
    const group = this.#waiting.length > MAX_GROUP ? this.#waiting.splice(0, MAX_GROUP) : this.#waiting;
    if (group === this.#waiting) this.#waiting = [];
    this.#scheduled = this.#waiting.length > 0;
    if (this.#scheduled) setImmediate(() => this.#commit());
    const replies: string[] = [];
    let billing = '';
    try {
      this.#database.exec('BEGIN IMMEDIATE');
      const nowMs = Date.now();
      const timestamp = new Date(nowMs).toISOString();
      for (const { fact } of group) {
        const row = this.#rows.make(fact, nowMs, timestamp);
        replies.push(replyText(row, this.#store(row)));
        billing += billingLine(row);
      }
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      for (const { reject } of group) reject(error);
      return;
    }
    process.stderr.write(billing);
    for (let at = 0; at < group.length; at += 1) group[at]?.resolve(replies[at] as string);
  }

  /** Returns whether another fact contradicts it. */
  #store(row: CeilingRow): boolean {
    const { fact, id, entityKey, relationKey, v, timestamp } = row;
    const siblings = this.#siblings.all(TENANT, entityKey, relationKey, fact.scope) as {
      value_type: string;
      value_v: string;
    }[];
    const contradicted = siblings.some((other) => other.value_type !== fact.value.type || other.value_v !== v);
    this.#insertFact.run(
      id,
      TENANT,
      fact.entity,
      fact.relation,
      entityKey,
      relationKey,
      fact.value.type,
      v,
      fact.source,
      timestamp,
      row.timestampMs,
      row.wallMs,
      row.counter,
      fact.confidence,
      fact.scope,
      row.validUntil,
      fact.cid,
      fact.caller,
    );
    this.#insertAudit.run(row.auditId, TENANT, 'fact_write', fact.caller, id, fact.source, timestamp);
    return contradicted;
  }
}
