import { canonicalJson } from '../canonical-json.ts';
import type { TypedValue } from '../fact-values.ts';

/**
 * Spells a name as part of an entity. The node compares entities without case, so capitals are escaped as well, with
 * lower-case digits.
 */
export const encodeName = (name: string): string =>
  encodeURIComponent(name)
    .replaceAll(/%../g, (escaped) => escaped.toLowerCase())
    .replaceAll(/[A-Z!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);

export const decodeName = (name: string): string => decodeURIComponent(name);

/** Returns JSON as a value: text in the canonical form, so that equal values are equal texts. */
export const jsonValue = (value: unknown): TypedValue => ({
  type: 'text',
  // Goes through JSON first, which leaves out what it cannot hold.
  v: canonicalJson(JSON.parse(JSON.stringify(value))),
});
