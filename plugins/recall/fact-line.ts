import { valueText } from '../../kernel/internal-api.ts';
import type { StoredFact } from '../../kernel/plugin-api.ts';

type LineFact = Pick<StoredFact, 'entity' | 'relation' | 'value' | 'unreadBytes'>;

/** The line of a fact in the prompt of an agent. */
export const factLine = (fact: LineFact): string => `${fact.entity} ${fact.relation} ${valueText(fact.value)}`;

/** Returns the bytes of the line (UTF-8), also of a fact whose value the store has left out. */
export const lineBytes = ({ entity, relation, value, unreadBytes }: LineFact): number =>
  Buffer.byteLength(`${entity} ${relation} `) + (unreadBytes ?? Buffer.byteLength(valueText(value)));

/** The average token of current models is about four bytes long. */
export const BYTES_PER_TOKEN = 4;

/** Returns the tokens of a text with this many bytes, never fewer than 1. */
export const tokensOfBytes = (bytes: number): number => Math.max(1, Math.ceil(bytes / BYTES_PER_TOKEN));

/** Counts the tokens of a line, never fewer than 1. */
export const estimateTokens = (line: string): number => tokensOfBytes(Buffer.byteLength(line));
