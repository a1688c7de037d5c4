import { ownedBy } from '../../../kernel/internal-api.ts';
import type { ReadableTables, Row, SqlValue, StoredFact } from '../../../kernel/plugin-api.ts';
import { PROOFS_TABLE } from '../serving/serving-tables.ts';
import type { OriginProof } from './origin-proof.ts';
import type { Commitments } from './origin-statement.ts';

/** A stored proof. For an erased fact it holds the commitments and no salts. */
export interface StoredProof {
  readonly factId: string;
  readonly keyId: string;
  readonly signature: string;
  readonly isVerified: boolean;
  readonly hidden: Pick<OriginProof, 'salt' | 'refsSalt'> | null;
  readonly commitments: Commitments | null;
}

/** Returns the facts among these whose origin has signed them, as this node verified. */
export const verifiedAmong = async (
  own: ReadableTables,
  tenantId: string,
  factIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  if (factIds.length === 0) return NOTHING;
  const rows = await own.select(PROOFS_TABLE, { tenant_id: tenantId, fact_id: factIds });
  return new Set(rows.filter((row) => Number(row['is_verified']) === 1).map((row) => String(row['fact_id'])));
};

const NOTHING: ReadonlySet<string> = new Set();

/** A fact whose proof is stored. */
export type ProvenFact = Pick<StoredFact, 'tenantId' | 'id' | 'entityKey' | 'scope'>;

export const rowOfProof = (fact: ProvenFact, proof: OriginProof, isVerified: boolean): Row => ({
  tenant_id: fact.tenantId,
  fact_id: fact.id,
  ...ownedBy(fact),
  key_id: proof.keyId,
  salt: proof.salt,
  refs_salt: proof.refsSalt,
  signature: proof.signature,
  is_verified: Number(isVerified),
  value_commitment: null,
  refs_commitment: null,
});

export const proofFromRow = (row: Readonly<Record<string, SqlValue>>): StoredProof => {
  const text = (name: string): string | null => (row[name] == null ? null : String(row[name]));
  const [salt, refsSalt] = [text('salt'), text('refs_salt')];
  const [value, refs] = [text('value_commitment'), text('refs_commitment')];
  return {
    factId: String(row['fact_id']),
    keyId: String(row['key_id']),
    signature: String(row['signature']),
    isVerified: Number(row['is_verified']) === 1,
    hidden: salt === null || refsSalt === null ? null : { salt, refsSalt },
    commitments: value === null || refs === null ? null : { value, refs },
  };
};
