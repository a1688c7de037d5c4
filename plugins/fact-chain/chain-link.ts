import { type FactLink, hashText, valueCommitment } from '../../kernel/internal-api.ts';
import { formatInstant, type LedgerEntry, type StoredFact, sha256Hex } from '../../kernel/plugin-api.ts';

/** The link of a fact: a digest of what it says, tied to the link before it. `previous` is null for the first one. */
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

/** The commitment to the value of a stored fact in its link. The row of an erased fact holds it. */
export const commitmentOf = (
  { value }: StoredFact,
  { salt, commitment }: Pick<LedgerEntry, 'salt' | 'commitment'>,
): Uint8Array => {
  if (commitment === null) return hasCanonicalForm(value) ? valueCommitment(salt ?? NO_SALT, value) : NO_COMMITMENT;
  return salt === null && value.v === null ? commitment : NO_COMMITMENT;
};

/** Of a fact that was given to the store without a salt. */
const NO_SALT = new Uint8Array(0);

/** Of a row that was changed from outside, and holds what no row can: an erased value, or a number that is none. */
const NO_COMMITMENT = new Uint8Array(32);

const hasCanonicalForm = ({ v }: StoredFact['value']): boolean =>
  typeof v === 'string' ? v.isWellFormed() : typeof v !== 'number' || Number.isFinite(v);
