export type Converted = { readonly value: unknown } | { readonly problem: string };
export type ConvertText = (text: string) => Converted;

/** Returns the conversion of a query text to a JSON Schema type. Texts stay unchanged for types without a text form. */
export const textConverter = (type: string | undefined): ConvertText => CONVERTERS[type ?? 'string'] ?? keepText;

const keepText: ConvertText = (text) => ({ value: text });

const toBoolean: ConvertText = (text) => {
  const value = BOOLEANS.get(text.toLowerCase());
  return value === undefined ? { problem: 'must be true, false, 1 or 0' } : { value };
};

const toInteger: ConvertText = (text) => {
  const value = Number(text);
  return INTEGER.test(text) && Number.isSafeInteger(value) ? { value } : { problem: 'must be an integer' };
};

const toNumber: ConvertText = (text) => {
  const value = Number(text);
  return NUMBER.test(text) && Number.isFinite(value) ? { value } : { problem: 'must be a number' };
};

const CONVERTERS: Readonly<Record<string, ConvertText>> = {
  string: keepText,
  boolean: toBoolean,
  integer: toInteger,
  number: toNumber,
};

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Matches an integer in JSON notation, without spaces, leading zeros or other bases. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
