import { hash } from 'node:crypto';

/** The hashed input of a link in the chain of facts, taken from the row of the fact. */
export interface LinkSource {
  readonly seq: number;
  readonly createdMs: number;
  readonly tenantId: string;
  readonly factId: string;
  readonly entity: string;
  readonly relation: string;
  readonly scope: string;
  readonly source: string;
  readonly confidence: number;
  readonly interpretAs: string;
  readonly valueType: string;
  readonly v: unknown;
  readonly salt: Uint8Array;
}

/** Members must be in alphabetical order, because the hash covers compact JSON with sorted names. */
const digest = (members: Readonly<Record<string, unknown>>): string =>
  `sha256:${hash('sha256', JSON.stringify(members))}`;

/** Computes the link after `previous` as `sha256:<hex>`, as a client would. */
export const expectedLink = (fact: LinkSource, previous: string | null): string => {
  const value = JSON.stringify({ interpret_as: fact.interpretAs, type: fact.valueType, v: fact.v });
  const commitment = hash('sha256', Buffer.concat([fact.salt, Buffer.from(value, 'utf8')]));
  const event = digest({
    confidence: fact.confidence,
    entity: fact.entity,
    fact_id: fact.factId,
    relation: fact.relation,
    scope: fact.scope,
    source: fact.source,
    tenant_id: fact.tenantId,
    value_commitment: `sha256:${commitment}`,
  });
  return digest({
    chain_seq: fact.seq,
    created_at: new Date(fact.createdMs).toISOString(),
    event_hash: event,
    fact_id: fact.factId,
    previous_hash: previous,
    tenant_id: fact.tenantId,
  });
};
