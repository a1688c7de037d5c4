import {
  defineErrorCode,
  defineInterpretation,
  defineOpenRelation,
  defineReservedEntities,
} from '../../kernel/plugin-api.ts';
import { INSTRUCTION_WRITE, INSTRUCTION_WRITE_REQUIRED } from './facts-api.ts';

export const CID_MALFORMED = defineErrorCode('cid_malformed', {
  status: 400,
  summary: 'the content id has another form',
});
export const FEEDBACK_LOOP_PROVENANCE_REQUIRED = defineErrorCode('feedback_loop_provenance_required', {
  status: 403,
  summary: 'a session asserts what it may have read here without saying what it is derived from',
});
export const CID_MISMATCH = defineErrorCode('cid_mismatch', {
  status: 409,
  summary: 'the stored fact no longer matches its content id',
});
export const IDEMPOTENCY_IN_PROGRESS = defineErrorCode('idempotency_in_progress', {
  status: 409,
  summary: 'a request with the same idempotency key is still running',
});
export const PROVENANCE_CYCLE_DETECTED = defineErrorCode('provenance_cycle_detected', {
  status: 422,
  summary: 'a fact would be derived from itself',
});

export const FACT_ENTITIES = defineReservedEntities('fact', { summary: 'a fact that meta-facts speak of' });
export const TTL = defineOpenRelation('ttl', {
  summary: 'when the life of another fact ends',
  about: FACT_ENTITIES,
});

export const INSTRUCTION = defineInterpretation('instruction', {
  summary: 'agents may do what the value says',
  permission: INSTRUCTION_WRITE,
  refusal: INSTRUCTION_WRITE_REQUIRED,
  message: 'asserting an instruction needs the permission instruction:write',
});
