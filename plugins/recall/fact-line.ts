import { type StoredFact, valueText } from '../../kernel/plugin-api.ts';

/** The line of a fact in the prompt of an agent. */
export const factLine = (fact: Pick<StoredFact, 'entity' | 'relation' | 'value'>): string =>
  `${fact.entity} ${fact.relation} ${valueText(fact.value)}`;

/** The average token of current models is about four bytes long. */
export const BYTES_PER_TOKEN = 4;

/** Counts the tokens of a line, never fewer than 1. */
export const estimateTokens = (line: string): number =>
  Math.max(1, Math.ceil(Buffer.byteLength(line) / BYTES_PER_TOKEN));
