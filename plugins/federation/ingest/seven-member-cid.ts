import { sha256Hex } from '../../../kernel/plugin-api.ts';
import type { FederatedFact } from '../proofs/origin-proof.ts';

/**
 * Returns true for a content id of an older form. That form hashes compact JSON with sorted member names. It contains
 * the value's type and text instead of the value, and whole numbers may end in `.0`.
 */
export const isSevenMemberCid = (cid: string, draft: FederatedFact['draft']): boolean => {
  const { confidence, entity, relation, scope, source, value } = draft;
  const names = {
    entity: JSON.stringify(entity),
    relation: JSON.stringify(relation),
    scope: JSON.stringify(scope),
    source: JSON.stringify(source),
  };
  for (const number of numberTexts(confidence)) {
    for (const text of valueTexts(value)) {
      const form =
        `{"confidence":${number},"entity":${names.entity},"relation":${names.relation},"scope":${names.scope},` +
        `"source":${names.source},"value_type":"${value.type}","value_v":${JSON.stringify(text)}}`;
      if (`sha256:${sha256Hex(form)}` === cid) return true;
    }
  }
  return false;
};

const valueTexts = ({ v }: FederatedFact['draft']['value']): readonly string[] =>
  typeof v === 'number' ? numberTexts(v) : [String(v)];

/** Returns both spellings of a whole number. */
const numberTexts = (value: number): readonly string[] =>
  Number.isInteger(value) ? [String(value), `${value}.0`] : [String(value)];
