import { createHash } from 'node:crypto';
import type { FactLink, StoredFact } from '../../../ports/ports.ts';

/*
 * The chain over the facts of a tenant, before and after. These are the texts that were hashed, and are hashed, at the
 * time of this migration: they stay as they are when the chain changes again.
 */

/** A link as an older store kept it. */
export interface OldLink {
  readonly seq: number;
  readonly createdMs: number;
  /** `sha256:<hex>`, as all hashes of old links. */
  readonly eventHash: string;
  readonly hash: string;
}

/** Whether the link is that of the fact, at this place of the chain, and tied to the link before it. */
export const isSoundLink = (link: OldLink, fact: StoredFact, seq: number, previous: OldLink | undefined): boolean =>
  link.seq === seq &&
  (seq === 1 || previous?.seq === seq - 1) &&
  link.eventHash === oldEventHash(fact) &&
  link.hash ===
    hexOf({
      chain_seq: seq,
      created_at: new Date(link.createdMs).toISOString(),
      event_hash: link.eventHash,
      fact_id: fact.id,
      previous_hash: previous?.hash ?? null,
      tenant_id: fact.tenantId,
    });

const oldEventHash = (fact: StoredFact): string =>
  hexOf({
    cid: fact.cid,
    confidence: fact.confidence,
    entity: fact.entity,
    fact_id: fact.id,
    relation: fact.relation,
    scope: fact.scope,
    source: fact.source,
    tenant_id: fact.tenantId,
    value_type: fact.value.type,
    value_v: fact.value.v,
  });

/** The link of a fact over the salted commitment of its value. `previous` is null for the first one. */
export const linkAfter = (previous: FactLink | null, fact: StoredFact, salt: Uint8Array): FactLink => {
  const { interpretAs, type, v } = fact.value;
  const value = JSON.stringify({ interpret_as: interpretAs, type, v });
  const commitment = createHash('sha256').update(salt).update(value).digest('hex');
  const seq = previous === null ? 1 : previous.seq + 1;
  const event = hexOf({
    confidence: fact.confidence,
    entity: fact.entity,
    fact_id: fact.id,
    relation: fact.relation,
    scope: fact.scope,
    source: fact.source,
    tenant_id: fact.tenantId,
    value_commitment: `sha256:${commitment}`,
  });
  const hash = hexOf({
    chain_seq: seq,
    created_at: new Date(fact.feed.wallMs).toISOString(),
    event_hash: event,
    fact_id: fact.id,
    previous_hash: previous === null ? null : `sha256:${Buffer.from(previous.hash).toString('hex')}`,
    tenant_id: fact.tenantId,
  });
  return { seq, hash: bytesOf(hash) };
};

export const bytesOf = (hash: string): Uint8Array => Buffer.from(hash.slice('sha256:'.length), 'hex');

/** Members stand in the order of their names, because key-sorted compact JSON is what is hashed. */
const hexOf = (members: Readonly<Record<string, unknown>>): string =>
  `sha256:${createHash('sha256').update(JSON.stringify(members)).digest('hex')}`;
