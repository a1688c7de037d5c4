import { createHash } from 'node:crypto';
import { canonicalJson, encodeBase64Url, type Signer } from '../../../kernel/internal-api.ts';

/** A fact as nodes exchange it. Tests add members, or give them wrong types, through `as`. */
export interface WireFact {
  readonly id: string;
  readonly entity: string;
  readonly relation: string;
  readonly value: { readonly type: string; readonly v: unknown; readonly interpret_as?: string };
  readonly source: string;
  readonly timestamp: string;
  readonly hlc: string;
  readonly confidence: number;
  readonly scope: string;
  readonly valid_from?: string;
  readonly valid_until: string | null;
  readonly derived_from: readonly string[];
  readonly replaces?: readonly string[];
  readonly cid?: string;
  readonly origin_node_id?: string;
  readonly origin_proof?: OriginProofJson;
}

export interface OriginProofJson {
  readonly key_id: string;
  readonly salt: string;
  readonly refs_salt: string;
  readonly signature: string;
}

export interface OriginSigning {
  readonly nodeId: string;
  readonly keyId: string;
  readonly signer: Signer;
  saltOf(of: 'value' | 'refs'): Uint8Array;
}

/** Implements the proof from docs/reference/federation.md alone, independently of the code under test. */
export const originProof = (fact: WireFact, { nodeId, keyId, signer, saltOf }: OriginSigning): OriginProofJson => {
  const salt = saltOf('value');
  const refsSalt = saltOf('refs');
  const text = originStatement(fact, nodeId, salt, refsSalt);
  return {
    key_id: keyId,
    salt: encodeBase64Url(salt),
    refs_salt: encodeBase64Url(refsSalt),
    signature: encodeBase64Url(signer.sign(Buffer.from(text))),
  };
};

/** Returns the statement that the origin signs. */
export const originStatement = (fact: WireFact, nodeId: string, salt: Uint8Array, refsSalt: Uint8Array): string => {
  const { id, entity, relation, source, scope, confidence, timestamp, hlc, valid_from, valid_until, derived_from } =
    fact;
  const { replaces } = fact;
  const { type, v, interpret_as = 'content' } = fact.value;
  return canonicalJson({
    v: 1,
    id,
    entity,
    relation,
    ...(replaces !== undefined && { replaces }),
    value_commitment: commitment(salt, { interpret_as, type, v: type === 'null' ? null : v }),
    refs_commitment: commitment(refsSalt, derived_from),
    source,
    scope,
    confidence,
    timestamp,
    hlc,
    ...(valid_from !== undefined && { valid_from }),
    valid_until,
    origin_node_id: nodeId,
  });
};

const commitment = (salt: Uint8Array, said: unknown): string =>
  `sha256:${createHash('sha256').update(salt).update(canonicalJson(said)).digest('hex')}`;

/** Returns the content id that covers six members. */
export const wireCid = ({ confidence, entity, relation, scope, source, value }: WireFact): string => {
  const { type, v, interpret_as } = value;
  const mark = interpret_as === 'instruction' ? { interpret_as } : {};
  const text = canonicalJson({ confidence, entity, relation, scope, source, value: { ...mark, type, v } });
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
};
