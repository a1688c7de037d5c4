import type { Fact } from './api-types.ts';
import type { AnswerOf } from './call-types.ts';
import { canonicalJson, sha256Hex } from './canonical-json.ts';
import { IntegrityError } from './client-errors.ts';

/** Shows that no fact of the tenant was changed, left out or added up to a checkpoint. */
export type ChainProof = NonNullable<AnswerOf<'POST /v1/recall'>['chain_proof']>;

const PAYLOAD_MEMBERS = ['chain_hash', 'covered_chain_seq', 'created_at', 'kind', 'tenant_id', 'version'];

/**
 * Checks a proof as far as a client can. Its checkpoint must cover its head, and the leaf of the log must be the hash
 * of that checkpoint. Rejects with an `IntegrityError` that names the mismatch. To detect removals, store `head_hash`
 * and `checked_entries`, and compare them with a later proof.
 */
export const verifyChainProof = async (proof: ChainProof, serviceName = 'svc'): Promise<void> => {
  const { checkpoint } = proof;
  const { payload } = checkpoint.tl_raw;
  const leaf = await sha256Hex(canonicalJson(payload));
  const checks: readonly (readonly [holds: boolean, what: string])[] = [
    [checkpoint.chain_hash === proof.head_hash, 'the checkpoint is of another head'],
    [checkpoint.covered_chain_seq === proof.checked_entries, 'the checkpoint does not cover all entries'],
    [checkpoint.tenant_id === proof.tenant_id, 'the checkpoint is of another tenant'],
    [Object.keys(payload).sort().join() === PAYLOAD_MEMBERS.join(), 'the payload of the checkpoint has other members'],
    [payload.chain_hash === proof.head_hash, 'the payload names another head'],
    [payload.covered_chain_seq === proof.checked_entries, 'the payload covers another number of entries'],
    [payload.tenant_id === proof.tenant_id, 'the payload names another tenant'],
    [payload.created_at === checkpoint.created_at, 'the payload names another time'],
    [
      payload.kind === `${serviceName}.fact_chain_checkpoint` && payload.version === 1,
      'the payload is of another kind',
    ],
    [checkpoint.tl_inclusion_proof.chain_hash === proof.head_hash, 'the entry of the log is of another head'],
    [checkpoint.tl_leaf_hash === leaf, 'the leaf of the log is not the hash of the payload'],
  ];
  const broken = checks.find(([holds]) => !holds);
  if (broken !== undefined) throw mismatch('fact_chain_mismatch', `the proof does not hold: ${broken[1]}`);
};

/** Returns the content id of a fact: a hash of its entity, relation, value, source, scope and confidence. */
export const contentIdOf = async (
  fact: Pick<Fact, 'entity' | 'relation' | 'value' | 'source' | 'scope' | 'confidence'>,
): Promise<string> => {
  const { confidence, entity, relation, scope, source } = fact;
  const { type, v, interpret_as: interpretation } = fact.value;
  const value = { type, v, ...(interpretation === 'instruction' && { interpret_as: interpretation }) };
  return `sha256:${await sha256Hex(canonicalJson({ confidence, entity, relation, scope, source, value }))}`;
};

/** Rejects with an `IntegrityError` when a fact does not match its content id. Ignores a fact without a content id. */
export const verifyFact = async (fact: Fact): Promise<void> => {
  if (fact.cid === null || fact.cid === (await contentIdOf(fact))) return;
  throw mismatch('cid_mismatch', 'a fact does not fit its content id');
};

const mismatch = (code: string, detail: string): IntegrityError => new IntegrityError({ status: 200, code, detail });
