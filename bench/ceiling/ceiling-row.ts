import { randomUUID } from 'node:crypto';
import { CeilingChain, type CeilingLink } from './ceiling-chain.ts';
import type { CidMembers } from './template-cid.ts';

const TENANT = 'default';

/** An assertion with every member that can be computed without the store. */
export interface CeilingFact extends CidMembers {
  readonly valid_until?: string | null;
  readonly cid: string;
  readonly caller: string;
  /** The identifier of the caller's credential. */
  readonly keyId: string;
}

/** The operations of the prototype on either store. */
export interface CeilingStore {
  /** Resolves with the serialised answer after the commit. */
  append(fact: CeilingFact): Promise<string>;
  close(): Promise<void>;
}

/** The data of a fact from which a layout makes rows. */
export interface CeilingRow {
  readonly fact: CeilingFact;
  readonly tenant: string;
  /** The position of the fact in the order of the commits, from 1. */
  readonly number: number;
  readonly id: string;
  /** The id of the audit row; empty in a layout without audit rows. */
  readonly auditId: string;
  readonly entityKey: string;
  readonly relationKey: string;
  /** The value as JSON text. */
  readonly v: string;
  readonly validUntil: string | null;
  readonly timestamp: string;
  readonly timestampMs: number;
  readonly wallMs: number;
  readonly counter: number;
  /** The link in the chain; null in a layout without a chain. */
  readonly link: CeilingLink | null;
}

/** A saved state of the numbers and the chain, for a rollback. */
export interface CeilingMark {
  readonly number: number;
  readonly head: string;
}

/** Assigns numbers, stamps and links inside the transaction. They are in memory, because there is one process. */
export class CeilingRows {
  readonly #isLinked: boolean;
  readonly #chain = new CeilingChain();
  #wallMs = 0;
  #counter = 0;
  #number = 0;

  constructor(isLinked: boolean) {
    this.#isLinked = isLinked;
  }

  /** Returns the state that `goBack` restores when a transaction fails. */
  mark(): CeilingMark {
    return { number: this.#number, head: this.#chain.head };
  }

  goBack({ number, head }: CeilingMark): void {
    this.#number = number;
    this.#chain.goBack(head);
  }

  make(fact: CeilingFact, nowMs: number, timestamp: string): CeilingRow {
    if (nowMs > this.#wallMs) {
      this.#wallMs = nowMs;
      this.#counter = 0;
    } else {
      this.#counter += 1;
    }
    this.#number += 1;
    const row = {
      fact,
      tenant: TENANT,
      number: this.#number,
      id: randomUUID(),
      auditId: this.#isLinked ? '' : randomUUID(),
      entityKey: fact.entity.toLowerCase(),
      relationKey: fact.relation.toLowerCase(),
      v: JSON.stringify(fact.value.v),
      validUntil: fact.valid_until ?? null,
      timestamp,
      timestampMs: nowMs,
      wallMs: this.#wallMs,
      counter: this.#counter,
    };
    return { ...row, link: this.#isLinked ? this.#chain.next(row) : null };
  }
}

export const billingLine = ({ fact, id, tenant, timestamp }: CeilingRow): string =>
  `{"billing":{"event_type":"fact_written","tenant_id":"${tenant}","entity_uri":${JSON.stringify(fact.caller)},"fact_id":"${id}","garden_id":null,"ts":"${timestamp}"}}\n`;

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
