import { hash, randomFillSync } from 'node:crypto';
import type { CeilingRow } from './ceiling-row.ts';

const SALT_BYTES = 16;
const SALTS_AT_ONCE = 4_096;

/** Draws many salts with one call to the system, because a call for each salt costs as much as three hashes. */
class Salts {
  #bytes = Buffer.alloc(0);

  next(): Uint8Array {
    if (this.#bytes.length === 0) this.#bytes = randomFillSync(Buffer.allocUnsafeSlow(SALTS_AT_ONCE * SALT_BYTES));
    const salt = this.#bytes.subarray(0, SALT_BYTES);
    this.#bytes = this.#bytes.subarray(SALT_BYTES);
    return salt;
  }
}

export interface CeilingLink {
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** The input of a link: all members of the row except the link. */
export type UnlinkedRow = Omit<CeilingRow, 'link'>;

/**
 * A chain over the facts, as in the node: each link hashes the previous link and a salted commitment of the value. The
 * head is in memory, because only one process writes.
 */
export class CeilingChain {
  /** `sha256:<hex>` of the newest link in JSON text, `null` before the first. */
  #head = 'null';
  readonly #salts = new Salts();

  /** The head that `goBack` restores when a transaction fails. */
  get head(): string {
    return this.#head;
  }

  goBack(head: string): void {
    this.#head = head;
  }

  /** The members are in the order of their names, because the hash covers compact JSON with sorted keys. */
  next(row: UnlinkedRow): CeilingLink {
    const { fact, id, tenant, number, timestamp } = row;
    const salt = this.#salts.next();
    const value = Buffer.from(`{"interpret_as":"literal","type":"${fact.value.type}","v":${row.v}}`, 'utf8');
    const commitment = hash('sha256', Buffer.concat([salt, value]));
    const event = hash(
      'sha256',
      `{"confidence":${fact.confidence},"entity":${JSON.stringify(fact.entity)},"fact_id":"${id}"` +
        `,"relation":${JSON.stringify(fact.relation)},"scope":"${fact.scope}","source":${JSON.stringify(fact.source)}` +
        `,"tenant_id":"${tenant}","value_commitment":"sha256:${commitment}"}`,
    );
    const link = hash(
      'sha256',
      `{"chain_seq":${number},"created_at":"${timestamp}","event_hash":"sha256:${event}","fact_id":"${id}"` +
        `,"previous_hash":${this.#head},"tenant_id":"${tenant}"}`,
    );
    this.#head = `"sha256:${link}"`;
    return { salt, hash: Buffer.from(link, 'hex') };
  }
}
