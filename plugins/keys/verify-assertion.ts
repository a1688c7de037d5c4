import {
  decodeBase64Url,
  type FactValue,
  memberRefusal,
  type Principal,
  ServiceError,
  verifyEd25519,
} from '../../kernel/plugin-api.ts';
import type { AgentKey } from './agent-key-store.ts';
import type { SignedAssertion } from './keys-api.ts';
import { ATTESTATION_INVALID } from './keys-api.ts';

/** Throws as `AgentKeys.verify` rejects. `key` is the one of the caller's tenant that the assertion names. */
export const verifyAssertion = (
  assertion: SignedAssertion,
  key: AgentKey | undefined,
  caller: Principal,
  path: string,
): void => {
  if (key === undefined || key.revokedMs !== null) {
    throw invalid(path, 'names no active agent key');
  }
  if (key.entityUri !== caller.entityUri) {
    throw new ServiceError('authorization', 'the attestation was made with an agent key of another entity');
  }
  if (!isSignedBy(key.publicKey, assertion)) throw invalid(path, 'has a signature that does not match the assertion');
};

/**
 * Returns the texts that a signature may cover: one, or two for a whole number, which some languages write as `1.0`.
 */
const signedTexts = ({ entity, relation, value, source }: Omit<SignedAssertion, 'keyId' | 'signature'>): string[] =>
  encodedValues(value).map((encoded) => [entity, relation, value.type, encoded, source].join('\n'));

const encodedValues = ({ v }: FactValue): string[] =>
  typeof v === 'number' && Number.isInteger(v) && Math.abs(v) < 1e15 ? [`${v}`, `${v}.0`] : [String(v)];

const isSignedBy = (publicKey: string, assertion: SignedAssertion): boolean => {
  const key = decodeBase64Url(publicKey);
  const signature = decodeBase64Url(assertion.signature);
  if (key === null || signature === null) return false;
  return signedTexts(assertion).some((text) => verifyEd25519(key, Buffer.from(text, 'utf8'), signature));
};

const invalid = (path: string, problem: string): ServiceError => memberRefusal(path, problem, ATTESTATION_INVALID);
