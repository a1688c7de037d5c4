import { decodeBase64Url, valueCommitment } from '../../../kernel/internal-api.ts';
import { type FactValue, type StoredFact, sha256Hex } from '../../../kernel/plugin-api.ts';

/** The members that the origin signs, in addition to the commitments and its id. Texts are in the origin's spelling. */
export type StatedMembers = Pick<
  StoredFact,
  | 'id'
  | 'entity'
  | 'relation'
  | 'source'
  | 'scope'
  | 'confidence'
  | 'timestamp'
  | 'hlcText'
  | 'validFrom'
  | 'validUntil'
  | 'replaces'
>;

/** The commitments that replace the erasable parts of a fact. */
export interface Commitments {
  readonly value: string;
  readonly refs: string;
}

/** Random bytes that the origin draws for one fact, so that nobody can test guesses of an erased value. */
export interface Salts {
  readonly salt: Uint8Array;
  readonly refsSalt: Uint8Array;
}

export const SALT_BYTES = 16;
const STATEMENT_VERSION = 1;

/** Computes the SHA-256 of the salt and the RFC 8785 form of the whole value, and the same for the references. */
export const commitmentsOf = (
  { value, derivedFrom }: { readonly value: FactValue; readonly derivedFrom: readonly string[] },
  { salt, refsSalt }: Salts,
): Commitments => ({
  value: digestText(Buffer.from(valueCommitment(salt, value)).toString('hex')),
  refs: refsCommitment(derivedFrom, refsSalt),
});

export const refsCommitment = (derivedFrom: readonly string[], refsSalt: Uint8Array): string =>
  digestText(sha256Hex(Buffer.concat([refsSalt, Buffer.from(JSON.stringify(derivedFrom))])));

/**
 * Returns the bytes that the origin signs: the RFC 8785 form of the statement. `JSON.stringify` produces it, because it
 * formats scalars alike and the members are listed in sorted order.
 */
export const originStatement = (fact: StatedMembers, commitments: Commitments, originNodeId: string): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      confidence: fact.confidence,
      entity: fact.entity,
      hlc: fact.hlcText,
      id: fact.id,
      origin_node_id: originNodeId,
      refs_commitment: commitments.refs,
      relation: fact.relation,
      ...(fact.replaces.length > 0 && { replaces: fact.replaces }),
      scope: fact.scope,
      source: fact.source,
      timestamp: fact.timestamp,
      v: STATEMENT_VERSION,
      ...(fact.validFrom !== null && { valid_from: fact.validFrom }),
      valid_until: fact.validUntil,
      value_commitment: commitments.value,
    }),
  );

/** Reads a salt. Returns null unless the text encodes 16 bytes. */
export const readSalt = (text: string): Uint8Array | null => {
  const salt = decodeBase64Url(text);
  return salt?.length === SALT_BYTES ? salt : null;
};

const digestText = (hex: string): string => `sha256:${hex}`;
