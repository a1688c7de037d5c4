import {
  decodeBase64Url,
  type FactValue,
  type StoredFact,
  sha256Hex,
  valueCommitment,
} from '../../../kernel/plugin-api.ts';

/** What the origin signs of a fact, besides the commitments and its own id. Texts are those that the origin gave. */
export type Stated = Pick<
  StoredFact,
  'id' | 'entity' | 'relation' | 'source' | 'scope' | 'confidence' | 'timestamp' | 'hlcText' | 'validUntil'
>;

/** What stands for the parts of a fact that can be erased. */
export interface Commitments {
  readonly value: string;
  readonly refs: string;
}

/** Drawn by the origin for one fact, so that nobody can find out by trying what was erased. */
export interface Salts {
  readonly salt: Uint8Array;
  readonly refsSalt: Uint8Array;
}

export const SALT_BYTES = 16;
const STATEMENT_VERSION = 1;
const KEY_ID_LENGTH = 16;

/** SHA-256 over the salt and the RFC 8785 form of the whole value, and the same over the parents. */
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
 * The bytes that the key of the origin signs: the RFC 8785 form of the statement. `JSON.stringify` writes scalars as it
 * asks for, and members in the order in which they are listed here, which is the one that it asks for.
 */
export const originStatement = (fact: Stated, commitments: Commitments, originNodeId: string): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      confidence: fact.confidence,
      entity: fact.entity,
      hlc: fact.hlcText,
      id: fact.id,
      origin_node_id: originNodeId,
      refs_commitment: commitments.refs,
      relation: fact.relation,
      scope: fact.scope,
      source: fact.source,
      timestamp: fact.timestamp,
      v: STATEMENT_VERSION,
      valid_until: fact.validUntil,
      value_commitment: commitments.value,
    }),
  );

/** By which signatures and metadata name a key: the first digits of the digest of its public half. */
export const keyIdOf = (publicKey: Uint8Array): string => sha256Hex(publicKey).slice(0, KEY_ID_LENGTH);

/** Null for anything but the text of 16 bytes. */
export const readSalt = (text: string): Uint8Array | null => {
  const salt = decodeBase64Url(text);
  return salt?.length === SALT_BYTES ? salt : null;
};

const digestText = (hex: string): string => `sha256:${hex}`;
