import type { FactValue } from '../../kernel/plugin-api.ts';

/** The signed content: an assertion in the form that the agent sends, before trimming. */
export interface SignedAssertion {
  readonly entity: string;
  readonly relation: string;
  readonly value: Pick<FactValue, 'type' | 'v'>;
  readonly source: string;
}

export const signedText = (assertion: SignedAssertion): string => textWith(assertion, String(assertion.value.v));

/** Returns the texts that a signature may cover, because some languages write the whole number 1 as `1.0`. */
export const signedTexts = (assertion: SignedAssertion): readonly string[] => {
  const { v } = assertion.value;
  const text = signedText(assertion);
  return typeof v === 'number' && Number.isInteger(v) && Math.abs(v) < 1e15
    ? [text, textWith(assertion, `${v}.0`)]
    : [text];
};

const textWith = ({ entity, relation, value, source }: SignedAssertion, encoded: string): string =>
  [entity, relation, value.type, encoded, source].join('\n');
