import { type Checkpoint, hashText } from '../../kernel/internal-api.ts';
import {
  COUNT_JSON,
  formatInstant,
  INSTANT_JSON,
  objectOf,
  orNull,
  type ServiceNames,
  STRING_JSON,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import { defineRecallMember } from '../recall/recall-api.ts';

const HASH_JSON = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' };

export const CHAIN_PROOF_JSON = objectOf({
  tenant_id: STRING_JSON,
  checked_entries: COUNT_JSON,
  head_hash: HASH_JSON,
  checkpoint: objectOf({
    id: STRING_JSON,
    tenant_id: STRING_JSON,
    covered_chain_seq: COUNT_JSON,
    chain_hash: HASH_JSON,
    status: { type: 'string', const: 'submitted' },
    attempt_count: COUNT_JSON,
    created_at: INSTANT_JSON,
    submitted_at: INSTANT_JSON,
    last_error: { type: 'null' },
    tl_backend: { type: 'string', const: 'local' },
    tl_log_id: STRING_JSON,
    tl_leaf_hash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    tl_log_index: COUNT_JSON,
    tl_integrated_time: COUNT_JSON,
    tl_inclusion_proof: objectOf({ chain_hash: HASH_JSON, prev_hash: orNull(HASH_JSON) }),
    tl_raw: objectOf({
      payload: objectOf({
        chain_hash: HASH_JSON,
        covered_chain_seq: COUNT_JSON,
        created_at: INSTANT_JSON,
        kind: STRING_JSON,
        tenant_id: STRING_JSON,
        version: { type: 'integer', const: 1 },
      }),
    }),
  }),
});

/** The member of a recall that holds a proof. */
export const CHAIN_PROOF = defineRecallMember('chain_proof', {
  summary: 'shows that no fact of the tenant was changed, left out or added up to a checkpoint',
  json: orNull(CHAIN_PROOF_JSON),
  absent: null,
});

/** A proof up to a checkpoint. `logId` names the node's own log of checkpoints. */
export const chainProofJson = (checkpoint: Checkpoint, names: ServiceNames, logId: string) => ({
  tenant_id: checkpoint.tenantId,
  checked_entries: checkpoint.link.seq,
  head_hash: hashText(checkpoint.link.hash),
  checkpoint: checkpointJson(checkpoint, names, logId),
});

/**
 * Returns the JSON of a checkpoint. The log belongs to the node itself, so a checkpoint is submitted when it is
 * created.
 */
const checkpointJson = (checkpoint: Checkpoint, names: ServiceNames, logId: string) => {
  const createdAt = formatInstant(checkpoint.createdMs);
  const { previousHash } = checkpoint;
  const chainHash = hashText(checkpoint.link.hash);
  // The members are sorted by name, because the hash depends on their order.
  const payload = {
    chain_hash: chainHash,
    covered_chain_seq: checkpoint.link.seq,
    created_at: createdAt,
    kind: names.chainCheckpointKind,
    tenant_id: checkpoint.tenantId,
    version: 1,
  };
  return {
    id: checkpoint.id,
    tenant_id: checkpoint.tenantId,
    covered_chain_seq: checkpoint.link.seq,
    chain_hash: chainHash,
    status: 'submitted',
    attempt_count: 1,
    created_at: createdAt,
    submitted_at: createdAt,
    last_error: null,
    tl_backend: 'local',
    tl_log_id: logId,
    tl_leaf_hash: sha256Hex(JSON.stringify(payload)),
    tl_log_index: checkpoint.logIndex,
    tl_integrated_time: Math.floor(checkpoint.createdMs / 1000),
    tl_inclusion_proof: { chain_hash: chainHash, prev_hash: previousHash && hashText(previousHash) },
    tl_raw: { payload },
  };
};
