import { formatInstant, type Row, type SqlValue, type StoredFact, sha256Hex } from '../../kernel/plugin-api.ts';

/** A link: a digest of a fact as it was stored, tied to the link before it. */
export interface ChainLink {
  readonly tenantId: string;
  /** From 1, without gaps. */
  readonly seq: number;
  readonly factId: string;
  /** Stamp of the fact in the feed, by which its link is found. */
  readonly feed: StoredFact['feed'];
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  /** `sha256:<hex>` */
  readonly eventHash: string;
  readonly hash: string;
}

/** Where a chain ends. */
export interface ChainHead {
  readonly seq: number;
  /** Null for a chain without links. */
  readonly hash: string | null;
}

export const CHAIN_START: ChainHead = { seq: 0, hash: null };

/** Members stand in the order of their names, because key-sorted compact JSON is what is hashed. */
export const eventHash = (fact: StoredFact): string =>
  digest({
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

export const linkHash = (link: Omit<ChainLink, 'hash' | 'feed'>, previousHash: string | null): string =>
  digest({
    chain_seq: link.seq,
    created_at: formatInstant(link.createdMs),
    event_hash: link.eventHash,
    fact_id: link.factId,
    previous_hash: previousHash,
    tenant_id: link.tenantId,
  });

/** The link that ties a fact to the end of its tenant's chain. */
export const nextLink = (fact: StoredFact, head: ChainHead, createdMs: number): ChainLink => {
  const seq = head.seq + 1;
  const link = { tenantId: fact.tenantId, seq, factId: fact.id, createdMs, eventHash: eventHash(fact) };
  return { ...link, feed: fact.feed, hash: linkHash(link, head.hash) };
};

export const linkRow = (link: ChainLink): Row => ({
  tenant_id: link.tenantId,
  chain_seq: link.seq,
  feed_wall: link.feed.wallMs,
  feed_ctr: link.feed.counter,
  fact_id: link.factId,
  created_ms: link.createdMs,
  event_hash: link.eventHash,
  link_hash: link.hash,
});

export const linkFromRow = (row: Readonly<Record<string, SqlValue>>): ChainLink => ({
  tenantId: String(row['tenant_id']),
  seq: Number(row['chain_seq']),
  feed: { wallMs: Number(row['feed_wall']), counter: Number(row['feed_ctr']) },
  factId: String(row['fact_id']),
  createdMs: Number(row['created_ms']),
  eventHash: String(row['event_hash']),
  hash: String(row['link_hash']),
});

const digest = (members: Readonly<Record<string, unknown>>): string => `sha256:${sha256Hex(JSON.stringify(members))}`;
