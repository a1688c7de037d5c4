import { ownedBy } from '../../../kernel/internal-api.ts';
import {
  all,
  type Clock,
  equals,
  FACT_RETURNED,
  isIn,
  type PluginTables,
  type PluginTransaction,
} from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';
import { PROOFS_TABLE } from '../serving/serving-tables.ts';
import { type JudgingParts, judgeProofs } from './judge-proofs.ts';
import type { KnownFact, OriginProof, OriginProofs, RenewedProof } from './origin-proof.ts';
import { proofFromRow, type StoredProof } from './proof-rows.ts';

type Renewals = Awaited<ReturnType<OriginProofs['renewals']>>;

const NOTHING: Renewals = { renewed: [], unknown: [] };

/** Finds newer proofs among those of known facts; see `OriginProofs.renewals`. Reads one statement for a whole page. */
export const findRenewals = async (
  parts: JudgingParts & { readonly tables: PluginTables },
  facts: readonly KnownFact[],
  sender: Peering,
): Promise<Renewals> => {
  const signed = facts.filter(({ fact }) => fact.proof !== null);
  if (signed.length === 0) return NOTHING;
  const where = { tenant_id: sender.tenantId, fact_id: signed.map(({ id }) => id) };
  const rows = await parts.tables.read((own) => own.select(PROOFS_TABLE, where));
  const stored = new Map(rows.map((row) => [String(row['fact_id']), proofFromRow(row)]));
  const changed = signed.filter(({ id, fact }) => isOther(stored.get(id), fact.proof as OriginProof));
  if (changed.length === 0) return NOTHING;
  const verdicts = await judgeProofs(
    parts,
    changed.map(({ fact }) => fact),
    sender,
    true,
  );
  const isNewer = ({ id, isSameSender }: KnownFact, at: number): boolean => {
    const isVerified = stored.get(id)?.isVerified === true;
    return verdicts[at] === (isVerified ? 'verified' : 'unverified') && (isVerified || isSameSender);
  };
  return {
    renewed: changed.filter(isNewer).map(({ id, fact }) => ({ id, proof: fact.proof as OriginProof })),
    unknown: changed.filter(({ id }, at) => verdicts[at] === 'unknown-key' && stored.get(id)?.isVerified === true),
  };
};

/** Returns true for a proof by another key. Returns false for an erased fact, because its salts must not return. */
const isOther = (stored: StoredProof | undefined, { keyId }: OriginProof): boolean =>
  stored !== undefined && stored.hidden !== null && stored.keyId !== keyId;

/** Replaces stored proofs; see `OriginProofs.renew`. */
export const renewProofs = async (
  { tables, clock }: { readonly tables: PluginTables; readonly clock: Pick<Clock, 'nowMs'> },
  proofs: readonly RenewedProof[],
  tenantId: string,
  transaction: PluginTransaction,
): Promise<void> => {
  const own = tables.in(transaction);
  const changed: string[] = [];
  const ids = proofs.map(({ id }) => id);
  const found = await transaction.outline(all(equals('tenantId', tenantId), isIn('id', ids)));
  const facts = new Map(found.map((fact) => [fact.id, fact]));
  for (const { id, proof } of proofs) {
    const { keyId, salt, refsSalt, signature } = proof;
    const rows = await own(PROOFS_TABLE)
      .where({ tenant_id: tenantId, fact_id: id })
      .whereNot({ key_id: keyId })
      .whereNotNull('salt')
      .whereNotNull('refs_salt')
      .update({ key_id: keyId, salt, refs_salt: refsSalt, signature, ...ownedBy(facts.get(id) ?? null) });
    if (rows > 0) changed.push(id);
  }
  if (changed.length > 0) await transaction.announce(FACT_RETURNED, changed, clock.nowMs());
};
