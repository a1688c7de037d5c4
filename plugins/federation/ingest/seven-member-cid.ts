import { sha256Hex } from '../../../kernel/plugin-api.ts';
import type { FederatedFact } from '../proofs/origin-proof.ts';

/**
 * Whether a content id is that of an older form: over the value's type and its text in place of the value, as compact
 * JSON with sorted names, where numbers may be written with `.0`.
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

/** A whole number has two spellings. */
const numberTexts = (value: number): readonly string[] =>
  Number.isInteger(value) ? [String(value), `${value}.0`] : [String(value)];
