import { grouped, ownedBy } from '../../../kernel/internal-api.ts';
import {
  all,
  equals,
  type FactOutline,
  type Filter,
  isIn,
  isNull,
  type PluginTables,
  type PluginTransaction,
  type ReadableTables,
  type Row,
  type StoredFact,
  type WritableTables,
} from '../../../kernel/plugin-api.ts';
import { PROOFS_TABLE } from '../serving/serving-tables.ts';
import { type JudgingParts, judgeProofs } from './judge-proofs.ts';
import type { OriginProof, OriginProofs } from './origin-proof.ts';
import { commitmentsOf, readSalt, refsCommitment } from './origin-statement.ts';
import { proofFromRow, rowOfProof, verifiedAmong } from './proof-rows.ts';
import { findRenewals, renewProofs } from './renew-proofs.ts';
import { type SigningParts, signOwnFacts } from './sign-own-facts.ts';

export interface ProofParts extends JudgingParts, SigningParts {
  readonly self: JudgingParts['self'];
  readonly identity: JudgingParts['identity'] & SigningParts['identity'];
  readonly tables: PluginTables;
}

export const createOriginProofs = (parts: ProofParts): OriginProofs => ({
  of: (facts) => proofsOf(parts, facts),
  judge: (facts, sender) => judgeProofs(parts, facts, sender),
  renewals: (facts, sender) => findRenewals(parts, facts, sender),
  renew: (proofs, tenantId, transaction) => renewProofs(parts, proofs, tenantId, transaction),
  async keep(facts, transaction) {
    const rows = facts.flatMap(({ stored, fact: { proof }, verdict }) =>
      proof === null ? [] : [rowOfProof(stored, proof, verdict === 'verified')],
    );
    if (rows.length > 0) await parts.tables.in(transaction).insertRows(PROOFS_TABLE, rows);
  },
  verifiedAmong: (factIds, tenantId, snapshot) => verifiedAmong(parts.tables.in(snapshot), tenantId, factIds),
  async redact(facts, transaction) {
    const own = parts.tables.in(transaction);
    let salts = 0;
    for (const [tenantId, group] of grouped(facts, ({ tenantId }) => tenantId)) {
      const where = { tenant_id: tenantId, fact_id: group.map(({ id }) => id) };
      const byId = new Map(group.map((fact) => [fact.id, fact]));
      for (const row of await own.select(PROOFS_TABLE, where)) {
        const { factId, hidden, signature } = proofFromRow(row);
        if (hidden === null) continue;
        // The key of the fact goes, and without its salts the signature proves no guess.
        const change = { ...redacted(byId.get(factId) as StoredFact, hidden), signature, ...ownedBy(null) };
        await own(PROOFS_TABLE).where({ tenant_id: tenantId, fact_id: factId }).update(change);
        salts += 1;
      }
    }
    return { salts };
  },
  async redactReferences({ tenantId, facts, transaction }) {
    const own = parts.tables.in(transaction);
    const before = new Map(facts.map((fact) => [fact.id, fact.before]));
    const where = { tenant_id: tenantId, fact_id: facts.map(({ id }) => id) };
    for (const row of await own.select(PROOFS_TABLE, where)) {
      const { factId, hidden } = proofFromRow(row);
      const refsSalt = hidden === null ? null : readSalt(hidden.refsSalt);
      if (refsSalt === null) continue;
      const change = { refs_salt: null, refs_commitment: refsCommitment(before.get(factId) ?? [], refsSalt) };
      await own(PROOFS_TABLE).where({ tenant_id: tenantId, fact_id: factId }).update(change);
    }
    await dropOwn(own, tenantId, await transaction.outline(ofThisNode(tenantId, where.fact_id)));
  },
});

const ofThisNode = (tenantId: string, ids: readonly string[]): Filter =>
  all(equals('tenantId', tenantId), isIn('id', ids), isNull('receivedFrom'));

const dropOwn = async (own: WritableTables, tenantId: string, facts: readonly { readonly id: string }[]) => {
  const ids = facts.map(({ id }) => id);
  if (ids.length > 0) await own(PROOFS_TABLE).where({ tenant_id: tenantId }).whereIn('fact_id', ids).delete();
};

/** Returns the proofs of facts. All facts belong to one tenant. */
const proofsOf = async (parts: ProofParts, facts: readonly StoredFact[]): Promise<ReadonlyMap<string, OriginProof>> => {
  const proofs = new Map<string, OriginProof>();
  if (facts.length === 0) return proofs;
  const { tables } = parts;
  await tables.read((own) => addStored(own, facts, proofs));
  const lacking = facts.filter(({ id, receivedFrom }) => receivedFrom === null && !proofs.has(id));
  if (lacking.length === 0) return proofs;
  const made = await signOwnFacts(parts, lacking);
  // Two requests may create a proof for a fact at the same time. Both return the proof that was stored first.
  await tables.write((lacking[0] as StoredFact).tenantId, async (own, transaction) => {
    const stored = await addStored(own, lacking, proofs);
    const unchanged = await stillAsRead(lacking, transaction);
    const rows: Row[] = [];
    for (const [at, fact] of lacking.entries()) {
      const { id } = fact;
      if (stored.has(id) || !unchanged.has(id)) continue;
      const proof = made[at] as OriginProof;
      proofs.set(id, proof);
      rows.push(rowOfProof(fact, proof, true));
    }
    if (rows.length > 0) await own.insertRows(PROOFS_TABLE, rows);
  });
  return proofs;
};

/**
 * Removes facts that were erased since they were read. A proof with new salts would let anybody test guesses of an
 * erased value.
 */
const stillAsRead = async (
  facts: readonly StoredFact[],
  transaction: PluginTransaction,
): Promise<ReadonlySet<string>> => {
  const { tenantId } = facts[0] as StoredFact;
  const ids = facts.map(({ id }) => id);
  const now = await transaction.outline(all(equals('tenantId', tenantId), isIn('id', ids)));
  const read = new Map(facts.map((fact) => [fact.id, fact]));
  return new Set(now.filter((fact) => isAsRead(fact, read.get(fact.id))).map(({ id }) => id));
};

const isAsRead = (now: FactOutline, read: StoredFact | undefined): boolean =>
  now.cid === read?.cid && now.derivedFrom.join() === read.derivedFrom.join();

/**
 * Adds the stored proofs that may be shown, which excludes those of erased facts. Returns all facts that have a proof.
 */
const addStored = async (
  own: ReadableTables,
  facts: readonly StoredFact[],
  proofs: Map<string, OriginProof>,
): Promise<ReadonlySet<string>> => {
  const where = { tenant_id: (facts[0] as StoredFact).tenantId, fact_id: facts.map(({ id }) => id) };
  const stored = new Set<string>();
  for (const row of await own.select(PROOFS_TABLE, where)) {
    const { factId, keyId, signature, hidden } = proofFromRow(row);
    stored.add(factId);
    if (hidden !== null) proofs.set(factId, { keyId, ...hidden, signature });
  }
  return stored;
};

const redacted = (fact: StoredFact, hidden: Pick<OriginProof, 'salt' | 'refsSalt'>) => {
  const [salt, refsSalt] = [readSalt(hidden.salt), readSalt(hidden.refsSalt)];
  // In a restored copy from before an erasure, the key of the salts may be gone already.
  if (salt === null || refsSalt === null) {
    return { salt: null, refs_salt: null, value_commitment: null, refs_commitment: null };
  }
  const { value, refs } = commitmentsOf(fact, { salt, refsSalt });
  return { salt: null, refs_salt: null, value_commitment: value, refs_commitment: refs };
};
