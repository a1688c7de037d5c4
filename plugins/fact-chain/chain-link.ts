import { type FactLink, hashText, valueCommitment } from '../../kernel/internal-api.ts';
import { formatInstant, type LedgerEntry, type StoredFact, sha256Hex } from '../../kernel/plugin-api.ts';

/**
 * Returns the link of a fact: a digest of its content and of the previous link. `previous` is null for the first fact.
 */
export const linkAfter = (previous: FactLink | null, fact: StoredFact, commitment: Uint8Array): FactLink => {
  const seq = previous === null ? 1 : previous.seq + 1;
  const id = JSON.stringify(fact.id);
  const tenantId = JSON.stringify(fact.tenantId);
  // Both texts are compact JSON with sorted names. A template writes them faster than `JSON.stringify`.
  const event =
    `{"confidence":${fact.confidence},"entity":${JSON.stringify(fact.entity)},"fact_id":${id},` +
    `"relation":${JSON.stringify(fact.relation)},"scope":"${fact.scope}","source":${JSON.stringify(fact.source)},` +
    `"tenant_id":${tenantId},"value_commitment":"${hashText(commitment)}"}`;
  const tie =
    `{"chain_seq":${seq},"created_at":"${formatInstant(fact.feed.wallMs)}","event_hash":"sha256:${sha256Hex(event)}",` +
    `"fact_id":${id},"previous_hash":${previous === null ? null : `"${hashText(previous.hash)}"`},` +
    `"tenant_id":${tenantId}}`;
  return { seq, hash: Buffer.from(sha256Hex(tie), 'hex') };
};

/** Returns the commitment to a value in its link. For an erased fact, reads it from the row. */
export const commitmentOf = (
  { value }: StoredFact,
  { salt, commitment }: Pick<LedgerEntry, 'salt' | 'commitment'>,
): Uint8Array => {
  if (commitment === null) return hasCanonicalForm(value) ? valueCommitment(salt ?? NO_SALT, value) : NO_COMMITMENT;
  return salt === null && value.v === null ? commitment : NO_COMMITMENT;
};

/** The salt of facts that were stored without one. */
const NO_SALT = new Uint8Array(0);

/** The commitment of a tampered row, with an erased value or an invalid number. */
const NO_COMMITMENT = new Uint8Array(32);

const hasCanonicalForm = ({ v }: StoredFact['value']): boolean =>
  typeof v === 'string' ? v.isWellFormed() : typeof v !== 'number' || Number.isFinite(v);
