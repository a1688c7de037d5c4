import { type ChainLink, hashText } from '../../../kernel/internal-api.ts';
import { formatInstant, sha256Hex } from '../../../kernel/plugin-api.ts';
import type { RecordedEntry } from '../audit-api.ts';

/** Returns the hash of a detail, which the link covers in its place, so that the link holds when the detail is gone. */
export const detailHash = (salt: string | null, detail: string): string =>
  `sha256:${sha256Hex(JSON.stringify([salt, detail]))}`;

/**
 * Returns the link of an entry with a row: the SHA-256 of its RFC 8785 form. The form is that of `GET /v1/admin/audit`
 * with the entry's place in the chain and the previous hash, and with the hash of the detail in place of the detail.
 * `previous` is null for the first entry.
 */
export const linkAfter = (previous: ChainLink | null, entry: RecordedEntry): ChainLink => {
  const seq = previous === null ? 1 : previous.seq + 1;
  // For a flat object with sorted names and whole numbers, `JSON.stringify` produces the RFC 8785 form.
  const text = JSON.stringify({
    attested_key_id: entry.attestedKeyId,
    chain_seq: seq,
    detail_hash: entry.detailHash,
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

/** Returns the links of successive entries after `previous`. */
export const linksAfter = (previous: ChainLink | null, entries: readonly RecordedEntry[]): ChainLink[] => {
  let link = previous;
  return entries.map((entry) => {
    link = linkAfter(link, entry);
    return link;
  });
};
