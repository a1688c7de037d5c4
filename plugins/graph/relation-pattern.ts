import { matchKey, type ServiceNames } from '../../kernel/plugin-api.ts';

/** Selects relations by match key: one relation, or all with the same prefix. */
export type RelationPattern =
  | { readonly is: 'equal'; readonly key: string }
  /** `beyond` is the first text that sorts after all of them; undefined if there is none. */
  | { readonly is: 'prefix'; readonly key: string; readonly beyond: string | undefined };

/** Reads a relation, or a prefix of relations that ends in a star. A star anywhere else is an ordinary character. */
export const relationPattern = (text: string, names: ServiceNames): RelationPattern => {
  if (!text.endsWith('*')) return { is: 'equal', key: matchKey(text, names) };
  const key = matchKey(text.slice(0, -1), names);
  return { is: 'prefix', key, beyond: textBeyond(key) };
};

const LAST_CODE_POINT = 0x10ffff;
const LAST_BEFORE_SURROGATES = 0xd7ff;
const FIRST_BEHIND_SURROGATES = 0xe000;

/**
 * Returns the first text that sorts after all texts with the prefix. Both engines compare the bytes of UTF-8, which is
 * the order of code points.
 */
const textBeyond = (prefix: string): string | undefined => {
  const points = [...prefix].map((character) => character.codePointAt(0) as number);
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last === LAST_CODE_POINT) continue;
    const next = last === LAST_BEFORE_SURROGATES ? FIRST_BEHIND_SURROGATES : last + 1;
    return String.fromCodePoint(...points, next);
  }
  return undefined;
};
