import { type Principal, ServiceError } from '../../kernel/plugin-api.ts';
import type { AgentKeys } from '../keys/keys-api.ts';
import type { AssertBody, Attestation } from './read-assert-body.ts';

/**
 * Id of the agent key that signed an assertion, null for one without a signature (wire contract 2.6). Throws `attestation_required`,
 * `attestation_invalid` (422) or, for a key of another entity, `authorization`.
 */
export type VerifySignature = (body: AssertBody, caller: Principal, path: string) => Promise<string> | null;

/** Without anybody who knows agent keys no signature can be checked, so none is accepted. */
export const createVerifySignature =
  (agentKeys: AgentKeys | undefined, isRequired: boolean): VerifySignature =>
  (body, caller, path) => {
    if (body.attestation !== null) return verify(agentKeys, body, body.attestation, caller, `${path}.attestation`);
    if (isRequired) throw missing(`${path}.attestation`);
    return null;
  };

const verify = async (
  agentKeys: AgentKeys | undefined,
  { draft, asSent }: AssertBody,
  { keyId, signature }: Attestation,
  caller: Principal,
  path: string,
): Promise<string> => {
  if (agentKeys === undefined) {
    throw new ServiceError('attestation_invalid', 'this node knows no agent keys, so no signature can be checked');
  }
  const { entity, source } = asSent;
  const { relation, value } = draft;
  await agentKeys.verify({ keyId, signature, entity, relation, value, source }, caller, path);
  return keyId;
};

const missing = (path: string): ServiceError =>
  new ServiceError('attestation_required', 'this node accepts signed assertions only', {
    hint: 'register an agent key and send an attestation with its signature',
    violations: [{ path, message: 'is required' }],
  });
