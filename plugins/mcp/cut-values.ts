import type { JsonObject } from './refused-question.ts';

/** Characters of a value that a list shows. */
export const SHOWN_CHARACTERS = 2_000;
/** Sources of a fact that a list shows. */
const SHOWN_SOURCES = 5;

/** The longest beginning of a text with at most this many UTF-16 units that splits no character. */
export const cutCharacters = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(most - 1));
  return text.slice(0, isSplit ? most - 1 : most);
};

/** Says that a value is cut, and from which offset the tool `fact` reads on. */
export const cutMark = (shown: number, length: number): JsonObject => ({ next_offset: shown, length });

/** A fact of a list: a long value is cut, and so is a long list of sources. */
export const cutView = (view: JsonObject, most = SHOWN_CHARACTERS): JsonObject => {
  const { value, derived_from: sources } = view;
  const { v } = (value ?? {}) as { readonly v?: unknown };
  const shown = typeof v === 'string' ? cutCharacters(v, most) : v;
  const isCut = typeof v === 'string' && shown !== v;
  return {
    ...view,
    ...(isCut && { value: { ...(value as JsonObject), v: shown }, value_cut: cutMark(String(shown).length, v.length) }),
    ...(Array.isArray(sources) &&
      sources.length > SHOWN_SOURCES && {
        derived_from: sources.slice(0, SHOWN_SOURCES),
        derived_from_count: sources.length,
      }),
  };
};

/** Cuts every long text of a document. */
export const cutDeep = (part: unknown, most = SHOWN_CHARACTERS): unknown => {
  if (typeof part === 'string') {
    return part.length <= most ? part : `${cutCharacters(part, most)}… (cut: ${most} of ${part.length} characters)`;
  }
  if (Array.isArray(part)) return part.map((item) => cutDeep(item, most));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, cutDeep(member, most)]));
};
