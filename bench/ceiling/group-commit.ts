import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { CeilingLayout, CeilingTable } from './ceiling-layout.ts';
import {
  billingLine,
  type CeilingFact,
  type CeilingRow,
  CeilingRows,
  type CeilingStore,
  replyText,
} from './ceiling-row.ts';

const MAX_GROUP = 256;

interface QueuedAssertion {
  readonly fact: CeilingFact;
  readonly resolve: (reply: string) => void;
  readonly reject: (error: unknown) => void;
}

interface Insert {
  readonly statement: StatementSyncInstance;
  readonly values: CeilingTable['values'];
}

/**
 * Group commit on SQLite: all pending assertions share one transaction, and each gets its answer after the commit. The
 * driver is synchronous, so requests gather while the event loop is inside the previous transaction, without a timer.
 */
export class GroupCommit implements CeilingStore {
  readonly #database: DatabaseSyncInstance;
  readonly #siblings: StatementSyncInstance;
  readonly #inserts: readonly Insert[];
  readonly #rows: CeilingRows;
  #waiting: QueuedAssertion[] = [];
  #scheduled = false;

  constructor(database: DatabaseSyncInstance, { tables, isLinked }: CeilingLayout) {
    this.#database = database;
    this.#rows = new CeilingRows(isLinked);
    this.#siblings = database.prepare(
      `SELECT id, value_type, value_v FROM facts
       WHERE tenant_id = ? AND entity_key = ? AND relation_key = ? AND scope = ? AND confidence > 0 LIMIT 64`,
    );
    this.#inserts = tables.map(({ name, columns, values }) => {
      const places = columns.map(() => '?').join();
      const names = columns.map((column) => column.name).join();
      return { statement: database.prepare(`INSERT INTO ${name} (${names}) VALUES (${places})`), values };
    });
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
    const mark = this.#rows.mark();
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
      this.#rows.goBack(mark);
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      for (const { reject } of group) reject(error);
      return;
    }
    process.stderr.write(billing);
    for (let at = 0; at < group.length; at += 1) group[at]?.resolve(replies[at] as string);
  }

  /** Returns whether another fact contradicts it. */
  #store(row: CeilingRow): boolean {
    const { fact, tenant, entityKey, relationKey, v } = row;
    const siblings = this.#siblings.all(tenant, entityKey, relationKey, fact.scope) as {
      value_type: string;
      value_v: string;
    }[];
    const contradicted = siblings.some((other) => other.value_type !== fact.value.type || other.value_v !== v);
    for (const { statement, values } of this.#inserts) statement.run(...values(row));
    return contradicted;
  }
}
