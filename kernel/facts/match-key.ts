import { sha256Hex } from '../crypto/sha256-digest.ts';
import type { ServiceNames } from '../identity/service-names.ts';
import { foldName, WHITE_SPACE } from '../text/fold-name.ts';

/**
 * The form in which entities, relations, sources and `ref` values are compared everywhere (docs/reference/names.md,
 * "Match keys"). It is folded (see `foldName`), and each white-space character becomes a dash. Under the service's own
 * scheme, dashes replace white space only in the id, the part after `<scheme>authority/type/`. A long name is
 * represented by its beginning and a digest, because index keys are bounded. Idempotent for names that are not long.
 */
export const matchKey = (text: string, names: ServiceNames): string => bounded(wholeMatchKey(text, names));

/** Returns the match key at its full length, for comparing paths but never for an index. */
export const wholeMatchKey = (text: string, names: ServiceNames): string => {
  if (!NEEDS_WORK.test(text)) return text;
  const folded = foldName(text);
  const idStart = folded.startsWith(names.scheme) ? startOfId(folded, names.scheme.length) : 0;
  return folded.slice(0, idStart) + withoutBlanks(folded.slice(idStart));
};

/**
 * Returns what the match keys of all names that begin with this text begin with. The ending of a name decides about
 * its beginning: white space at the end of the text stays, a sigma is a final one or not, and an authority may have
 * ended.
 */
export const keyBeginnings = (text: string, names: ServiceNames): readonly string[] => [
  ...new Set(ENDINGS.map((ending) => wholeMatchKey(text + ending, names).slice(0, -ending.length))),
];

/** Without a letter and with one, within any part of a path and before its id. */
const ENDINGS = ['1', 'x', '1/x/x', 'x/x/x'] as const;

/** Replaces each white-space character by a dash. */
export const withoutBlanks = (text: string): string => text.replace(BLANKS, '-');

/**
 * The maximum length of an unabridged key. PostgreSQL refuses index rows over 2,704 bytes; the longest entity and
 * relation together stay below.
 */
export const MAX_PLAIN_KEY_LENGTH = 400;
const KEPT_LENGTH = 330;

/** Abridges a long key. The result is longer than any unabridged key, so that the two never collide. */
const bounded = (key: string): string => {
  if (key.length <= MAX_PLAIN_KEY_LENGTH) return key;
  // Does not split a surrogate pair.
  const kept = key.slice(0, /[\uD800-\uDBFF]/.test(key.charAt(KEPT_LENGTH - 1)) ? KEPT_LENGTH + 1 : KEPT_LENGTH);
  return `${kept}:sha256:${sha256Hex(key)}`;
};

/** The match keys of the three names of a fact. */
export interface FactNameKeys {
  readonly entityKey: string;
  readonly relationKey: string;
  readonly sourceKey: string;
}

export const nameKeys = (
  { entity, relation, source }: { readonly entity: string; readonly relation: string; readonly source: string },
  names: ServiceNames,
): FactNameKeys => ({
  entityKey: matchKey(entity, names),
  relationKey: matchKey(relation, names),
  sourceKey: matchKey(source, names),
});

/** Matches names that may differ from their key. Most are printable ASCII without spaces and capitals, and equal it. */
const NEEDS_WORK = /[^!-@[-~]/;
const BLANKS = new RegExp(`[${WHITE_SPACE}\\x85]`, 'g');

/** Returns the start of the id in `authority/type/id`; 0 without all three parts. */
const startOfId = (text: string, authorityStart: number): number => {
  const authorityEnd = text.indexOf('/', authorityStart);
  const typeEnd = authorityEnd < 0 ? -1 : text.indexOf('/', authorityEnd + 1);
  const complete = authorityEnd > authorityStart && typeEnd > authorityEnd + 1 && typeEnd + 1 < text.length;
  return complete ? typeEnd + 1 : 0;
};
