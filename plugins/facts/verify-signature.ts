import { type Principal, ServiceError } from '../../kernel/plugin-api.ts';
import { type AgentKeys, verifyAttestation } from '../keys/keys-api.ts';
import { ATTESTATION_REQUIRED } from './facts-errors.ts';
import type { AssertBody } from './read-assert-body.ts';

/**
 * Id of the agent key that signed an assertion, null for one without a signature (wire contract 2.6). Throws
 * `attestation_required`, `attestation_invalid` (422) or, for a key of another entity, `authorization`.
 */
export type VerifySignature = (body: AssertBody, caller: Principal, path: string) => Promise<string> | null;

export const createVerifySignature =
  (agentKeys: AgentKeys | undefined, isRequired: boolean): VerifySignature =>
  ({ draft, asSent, attestation }, caller, path) => {
    if (attestation === null) {
      if (isRequired) throw requireSignature(`${path}.attestation`);
      return null;
    }
    const { relation, value } = draft;
    return verifyAttestation(agentKeys, { ...attestation, ...asSent, relation, value }, caller, `${path}.attestation`);
  };

/** The refusal of an assertion without a signature. `path` names the member. */
export const requireSignature = (path: string): ServiceError =>
  new ServiceError(ATTESTATION_REQUIRED, 'this node accepts signed assertions only', {
    hint: 'register an agent key and send an attestation with its signature',
    violations: [{ path, message: 'is required' }],
  });
