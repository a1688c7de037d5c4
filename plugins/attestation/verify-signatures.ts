import { decodeBase64Url, type SignatureCheck } from '../../kernel/internal-api.ts';
import {
  type DraftBatch,
  type DraftItem,
  memberRefusal,
  noteOf,
  ServiceError,
  type SignatureWork,
} from '../../kernel/plugin-api.ts';
import type { AgentKeyRecord, AgentKeys } from '../keys/keys-api.ts';
import { ATTESTATION, type Attestation } from './attestation-member.ts';
import { ATTESTATION_INVALID, ATTESTATION_REQUIRED } from './attestation-words.ts';
import { signedTexts } from './signed-text.ts';

export interface VerifyingParts {
  /** Undefined on a node without agent keys. */
  readonly agentKeys: Pick<AgentKeys, 'among'> | undefined;
  readonly work: SignatureWork;
  /** True if every assertion of a client must be signed. */
  readonly isRequired: boolean;
}

/** Refuses drafts with a wrong or missing signature. Runs before the transaction, because verification is slow. */
export const createVerifySignatures =
  (parts: VerifyingParts) =>
  ({ items, caller }: DraftBatch): Promise<void> | undefined => {
    const signed: Signed[] = [];
    for (const item of items) {
      const attestation = noteOf(item.notes, ATTESTATION.note);
      if (attestation !== undefined) signed.push({ item, attestation });
      else if (parts.isRequired && item.byClient && item.draft.attestedKeyId == null) refuseUnsigned(item);
    }
    return signed.length === 0 ? undefined : verifyAll(signed, caller.tenantId, parts);
  };

interface Signed {
  readonly item: DraftItem;
  readonly attestation: Attestation;
}

const verifyAll = async (
  signed: readonly Signed[],
  tenantId: string,
  { agentKeys, work }: VerifyingParts,
): Promise<void> => {
  const ids = [...new Set(signed.map(({ attestation }) => attestation.keyId))];
  const keys = new Map((await agentKeys?.among(ids, tenantId))?.map((key) => [key.id, key]));
  const checks: SignatureCheck[] = [];
  /** Each draft with the range of its checks, whose end is exclusive. */
  const ranges: (readonly [Signed, number, number])[] = [];
  for (const one of signed) {
    const key = keys.get(one.attestation.keyId);
    if (key === undefined || key.revokedAt !== null) {
      one.item.reject(invalid(one.item, 'names no active agent key'), 'signature');
    } else if (key.entityUri !== one.item.caller.entityUri) {
      one.item.reject(foreignKey(), 'signature');
    } else {
      const begin = checks.length;
      checks.push(...checksOf(one, key));
      ranges.push([one, begin, checks.length]);
    }
  }
  const good = await work.verifyAll(checks);
  for (const [{ item, attestation }, begin, end] of ranges) {
    if (good.slice(begin, end).includes(true)) item.complete({ attestedKeyId: attestation.keyId });
    else item.reject(invalid(item, 'has a signature that does not match the assertion'), 'signature');
  }
};

const foreignKey = (): ServiceError =>
  new ServiceError('authorization', 'the attestation was made with an agent key of another entity');

const checksOf = ({ item: { draft }, attestation }: Signed, key: AgentKeyRecord): SignatureCheck[] => {
  const publicKey = decodeBase64Url(key.publicKey);
  const signature = decodeBase64Url(attestation.signature);
  if (publicKey === null || signature === null) return [];
  const { relation, value } = draft;
  const { entity = draft.entity, source = draft.source } = attestation;
  return signedTexts({ entity, relation, value, source }).map((text) => ({
    publicKey,
    bytes: Buffer.from(text, 'utf8'),
    signature,
  }));
};

const invalid = (item: DraftItem, problem: string): ServiceError =>
  memberRefusal(`${item.path}.attestation`, problem, ATTESTATION_INVALID);

const refuseUnsigned = (item: DraftItem): void => {
  const refusal = new ServiceError(ATTESTATION_REQUIRED, 'this node accepts signed assertions only', {
    hint: 'register an agent key and send an attestation with its signature',
    violations: [{ path: `${item.path}.attestation`, message: 'is required' }],
  });
  item.reject(refusal, 'signature');
};
