import type { Fact, TypedValue } from '../../../../client/client.ts';

export type ValueType = Fact['value']['type'];

/** A value and its type, as typed by a reader. */
export interface ValueDraft {
  readonly type: ValueType;
  readonly text: string;
}

export const VALUE_TYPES: readonly ValueType[] = ['string', 'text', 'number', 'boolean', 'datetime', 'ref', 'null'];

/** The maximum size of a string in bytes; a longer one is sent as text. */
const STRING_BYTES = 16 * 1024;

export const draftOf = ({ type, v }: Pick<Fact['value'], 'type' | 'v'>): ValueDraft => ({
  type,
  text: v === null || v === undefined ? '' : String(v),
});

/** Returns the typed value; undefined if it does not fit its type. The node checks the rest. */
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
 * Returns false for a whole number that a double cannot represent. The node would refuse it, but would receive the
 * rounded number.
 */
const isExact = (text: string, number: number): boolean =>
  !/^[+-]?\d+$/.test(text) || BigInt(text.replace(/^\+/, '')) === BigInt(number);
