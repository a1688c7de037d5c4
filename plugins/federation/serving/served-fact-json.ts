import { SHARE_JSON } from '../../../kernel/internal-api.ts';
import {
  component,
  FACT_VALUE,
  type JsonSchema,
  listOf,
  objectOf,
  orNull,
  SCOPES,
  STRING_JSON,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import type { OriginProof } from '../proofs/origin-proof.ts';

const ORIGIN_PROOF_JSON = objectOf({
  key_id: STRING_JSON,
  salt: STRING_JSON,
  refs_salt: STRING_JSON,
  signature: STRING_JSON,
});

/** The JSON of a fact for a peer: only the members that its origin asserted, without marks of this node. */
export const SERVED_FACT_JSON: JsonSchema = objectOf(
  {
    id: STRING_JSON,
    entity: STRING_JSON,
    relation: STRING_JSON,
    value: component(FACT_VALUE),
    source: STRING_JSON,
    timestamp: STRING_JSON,
    hlc: STRING_JSON,
    confidence: SHARE_JSON,
    scope: { type: 'string', enum: [...SCOPES] },
    valid_from: STRING_JSON,
    valid_until: orNull(STRING_JSON),
    derived_from: listOf(STRING_JSON),
    replaces: listOf(STRING_JSON),
    cid: STRING_JSON,
    origin_node_id: STRING_JSON,
    origin_proof: ORIGIN_PROOF_JSON,
  },
  { optional: ['valid_from', 'replaces', 'cid', 'origin_node_id', 'origin_proof'] },
);

export interface ServedForm {
  readonly proofs: ReadonlyMap<string, OriginProof>;
  /** True if the JSON of facts contains their content id. */
  readonly hasCid: boolean;
}

export const servedFactJson = (fact: StoredFact, { proofs, hasCid }: ServedForm): Record<string, unknown> => {
  const proof = proofs.get(fact.id);
  return {
    id: fact.originId ?? fact.id,
    entity: fact.entity,
    relation: fact.relation,
    value: { type: fact.value.type, v: fact.value.v, interpret_as: fact.value.interpretAs },
    source: fact.source,
    timestamp: fact.timestamp,
    hlc: fact.hlcText,
    confidence: fact.confidence,
    scope: fact.scope,
    ...(fact.validFrom !== null && { valid_from: fact.validFrom }),
    valid_until: fact.validUntil,
    derived_from: fact.derivedFrom,
    ...(fact.replaces.length > 0 && { replaces: fact.replaces }),
    ...(hasCid && { cid: fact.cid }),
    ...(fact.receivedFrom !== null && fact.originNodeId !== null && { origin_node_id: fact.originNodeId }),
    ...(proof !== undefined && { origin_proof: proofJson(proof) }),
  };
};

const proofJson = ({ keyId, salt, refsSalt, signature }: OriginProof): Record<string, unknown> => ({
  key_id: keyId,
  salt,
  refs_salt: refsSalt,
  signature,
});
