import { randomUUID } from 'node:crypto';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { CidMembers } from './template-cid.ts';

const TENANT = 'default';
const MAX_GROUP = 256;

/** An assertion with everything computed that does not need the store. */
export interface CeilingFact extends CidMembers {
  readonly valid_until?: string | null;
  readonly cid: string;
  readonly caller: string;
}

interface Waiting {
  readonly fact: CeilingFact;
  readonly resolve: (reply: string) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * All assertions that wait share one transaction, and each is answered after its commit. The driver is synchronous, so requests
 * gather while the event loop is inside the transaction before: no timer is needed, and none is used.
 */
export class GroupCommit {
  readonly #database: DatabaseSyncInstance;
  readonly #siblings: StatementSyncInstance;
  readonly #insertFact: StatementSyncInstance;
  readonly #insertAudit: StatementSyncInstance;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #wallMs = 0;
  #counter = 0;

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

  /** Resolves with the serialised answer after the commit. */
  append(fact: CeilingFact): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ fact, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => this.#commit());
    });
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
        const id = this.#store(fact, nowMs, timestamp, replies);
        billing += `{"billing":{"event_type":"fact_written","tenant_id":"${TENANT}","entity_uri":${JSON.stringify(fact.caller)},"fact_id":"${id}","garden_id":null,"ts":"${timestamp}"}}\n`;
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

  #store(fact: CeilingFact, nowMs: number, timestamp: string, replies: string[]): string {
    const entityKey = fact.entity.toLowerCase();
    const relationKey = fact.relation.toLowerCase();
    const v = JSON.stringify(fact.value.v);
    const siblings = this.#siblings.all(TENANT, entityKey, relationKey, fact.scope) as {
      value_type: string;
      value_v: string;
    }[];
    const contradicted = siblings.some((other) => other.value_type !== fact.value.type || other.value_v !== v);
    this.#tick(nowMs);
    const id = randomUUID();
    const validUntil = fact.valid_until ?? null;
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
      nowMs,
      this.#wallMs,
      this.#counter,
      fact.confidence,
      fact.scope,
      validUntil,
      fact.cid,
      fact.caller,
    );
    this.#insertAudit.run(randomUUID(), TENANT, 'fact_write', fact.caller, id, fact.source, timestamp);
    replies.push(
      JSON.stringify({
        id,
        entity: fact.entity,
        relation: fact.relation,
        value: fact.value,
        source: fact.source,
        timestamp,
        hlc: `${this.#wallMs}.${this.#counter}`,
        valid_until: validUntil,
        confidence: fact.confidence,
        scope: fact.scope,
        cid: fact.cid,
        contradicted,
      }),
    );
    return id;
  }

  #tick(nowMs: number): void {
    if (nowMs > this.#wallMs) {
      this.#wallMs = nowMs;
      this.#counter = 0;
    } else {
      this.#counter += 1;
    }
  }
}
