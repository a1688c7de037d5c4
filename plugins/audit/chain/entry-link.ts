import { type ChainLink, formatInstant, hashText, sha256Hex } from '../../../kernel/plugin-api.ts';
import type { RecordedEntry } from '../audit-api.ts';

/**
 * The link of an entry with a row: SHA-256 over the entry as `GET /v1/admin/audit` shows it, with its place in the
 * chain and the hash of the link before, in the form of RFC 8785. `previous` is null for the first one.
 */
export const linkAfter = (previous: ChainLink | null, entry: RecordedEntry): ChainLink => {
  const seq = previous === null ? 1 : previous.seq + 1;
  // A flat object with its names in order and whole numbers is written alike by RFC 8785 and by `JSON.stringify`.
  const text = JSON.stringify({
    attested_key_id: entry.attestedKeyId,
    chain_seq: seq,
    detail: entry.detail,
    entity_uri: entry.entityUri,
    event_type: entry.event,
    fact_id: entry.factId,
    id: entry.id,
    oidc_sub: entry.oidcSub,
    previous_hash: previous && hashText(previous.hash),
    seq: entry.seq,
    source: entry.source,
    tenant_id: entry.tenantId,
    ts: formatInstant(entry.tsMs),
  });
  return { seq, hash: Buffer.from(sha256Hex(text), 'hex') };
};

/** The links of entries that follow one another, behind `previous`. */
export const linksAfter = (previous: ChainLink | null, entries: readonly RecordedEntry[]): ChainLink[] => {
  let link = previous;
  return entries.map((entry) => {
    link = linkAfter(link, entry);
    return link;
  });
};
