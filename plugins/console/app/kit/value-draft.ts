import type { Fact, TypedValue } from '../../../../client/client.ts';

export type ValueType = Fact['value']['type'];

/** A value as a reader types it. */
export interface ValueDraft {
  readonly type: ValueType;
  readonly text: string;
}

export const VALUE_TYPES: readonly ValueType[] = ['string', 'text', 'number', 'boolean', 'datetime', 'ref', 'null'];

/** What the protocol takes as a string; what is longer is text. */
const STRING_BYTES = 16 * 1024;

export const draftOf = ({ type, v }: Pick<Fact['value'], 'type' | 'v'>): ValueDraft => ({
  type,
  text: v === null || v === undefined ? '' : String(v),
});

/** The value that was typed. Undefined for what is none of its type; the node judges the rest. */
export const readDraft = ({ type, text }: ValueDraft): TypedValue | undefined => {
  if (type === 'null') return { type, v: null };
  if (type === 'boolean') return { type, v: text === 'true' };
  if (type === 'string') return { type: new TextEncoder().encode(text).length > STRING_BYTES ? 'text' : type, v: text };
  if (type === 'text') return { type, v: text };
  if (text.trim() === '') return undefined;
  if (type !== 'number') return { type, v: text.trim() };
  const number = Number(text);
  return Number.isFinite(number) && isExact(text.trim(), number) ? { type, v: number } : undefined;
};

/**
 * Whether a number holds the whole number that was typed. The node refuses what does not, and would not see it here.
 */
const isExact = (text: string, number: number): boolean =>
  !/^[+-]?\d+$/.test(text) || BigInt(text.replace(/^\+/, '')) === BigInt(number);
