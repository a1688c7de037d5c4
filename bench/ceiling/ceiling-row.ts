import { randomUUID } from 'node:crypto';
import type { CidMembers } from './template-cid.ts';

export const TENANT = 'default';

/** An assertion with everything computed that does not need the store. */
export interface CeilingFact extends CidMembers {
  readonly valid_until?: string | null;
  readonly cid: string;
  readonly caller: string;
}

/** What the prototype does with its store, whichever it is. */
export interface CeilingStore {
  /** Resolves with the serialised answer after the commit. */
  append(fact: CeilingFact): Promise<string>;
  close(): Promise<void>;
}

/** A fact on its way into its row. */
export interface CeilingRow {
  readonly fact: CeilingFact;
  readonly id: string;
  readonly auditId: string;
  readonly entityKey: string;
  readonly relationKey: string;
  /** JSON text. */
  readonly v: string;
  readonly validUntil: string | null;
  readonly timestamp: string;
  readonly timestampMs: number;
  readonly wallMs: number;
  readonly counter: number;
}

/** Gives facts what they get inside the transaction. The clock is in memory: there is one process. */
export class CeilingRows {
  #wallMs = 0;
  #counter = 0;

  make(fact: CeilingFact, nowMs: number, timestamp: string): CeilingRow {
    if (nowMs > this.#wallMs) {
      this.#wallMs = nowMs;
      this.#counter = 0;
    } else {
      this.#counter += 1;
    }
    return {
      fact,
      id: randomUUID(),
      auditId: randomUUID(),
      entityKey: fact.entity.toLowerCase(),
      relationKey: fact.relation.toLowerCase(),
      v: JSON.stringify(fact.value.v),
      validUntil: fact.valid_until ?? null,
      timestamp,
      timestampMs: nowMs,
      wallMs: this.#wallMs,
      counter: this.#counter,
    };
  }
}

export const billingLine = ({ fact, id, timestamp }: CeilingRow): string =>
  `{"billing":{"event_type":"fact_written","tenant_id":"${TENANT}","entity_uri":${JSON.stringify(fact.caller)},"fact_id":"${id}","garden_id":null,"ts":"${timestamp}"}}\n`;

export const replyText = (row: CeilingRow, contradicted: boolean): string => {
  const { fact } = row;
  return JSON.stringify({
    id: row.id,
    entity: fact.entity,
    relation: fact.relation,
    value: fact.value,
    source: fact.source,
    timestamp: row.timestamp,
    hlc: `${row.wallMs}.${row.counter}`,
    valid_until: row.validUntil,
    confidence: fact.confidence,
    scope: fact.scope,
    cid: fact.cid,
    contradicted,
  });
};
