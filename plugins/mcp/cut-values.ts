import { countNoun } from '../../kernel/command-api.ts';
import type { JsonObject } from './refused-question.ts';

/** The maximum number of characters of a value in a list. */
export const SHOWN_CHARACTERS = 2_000;
/** The maximum number of source facts of a fact in a list. */
const SHOWN_SOURCES = 5;

/** The longest beginning of a text with at most this many UTF-16 units that splits no character. */
export const cutCharacters = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(most - 1));
  return text.slice(0, isSplit ? most - 1 : most);
};

/** Returns the mark of a shortened value: its full length, and the offset at which the tool `fact` continues. */
export const cutMark = (shown: number, length: number): JsonObject => ({ next_offset: shown, length });

/** Returns a fact for a list, with a long value shortened, and a long list of source facts too. */
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

/** Shortens every long text of a document. */
export const cutDeep = (part: unknown, most = SHOWN_CHARACTERS): unknown => {
  if (typeof part === 'string') {
    return part.length <= most
      ? part
      : `${cutCharacters(part, most)}… (cut: ${most} of ${countNoun(part.length, 'character')})`;
  }
  if (Array.isArray(part)) return part.map((item) => cutDeep(item, most));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, cutDeep(member, most)]));
};
