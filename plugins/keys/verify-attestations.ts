import { type DraftBatch, type DraftItem, noteOf, ServiceError } from '../../kernel/plugin-api.ts';
import { type AgentKeys, ATTESTATION } from './keys-api.ts';

/** Verifies the signatures among the drafts. Before the transaction, because it takes too long for the append lock. */
export const verifyAttestations = ({ items }: DraftBatch, agentKeys: AgentKeys): Promise<void> | undefined => {
  const signed = items.filter(({ notes }) => noteOf(notes, ATTESTATION.note) !== undefined);
  return signed.length === 0 ? undefined : verifyAll(signed, agentKeys);
};

const verifyAll = async (items: readonly DraftItem[], agentKeys: AgentKeys): Promise<void> => {
  for (const item of items) {
    const attestation = noteOf(item.notes, ATTESTATION.note);
    if (attestation === undefined) continue;
    const { entity, relation, value, source } = item.draft;
    try {
      const signed = { entity, relation, value, source, ...attestation };
      await agentKeys.verify(signed, item.caller, `${item.path}.attestation`);
      item.complete({ attestedKeyId: attestation.keyId });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      item.reject(error, 'signature');
    }
  }
};
