import { sha256Hex } from '../crypto/sha256-digest.ts';
import type { ServiceNames } from '../identity/service-names.ts';

/**
 * The form in which entities, relations, sources and `ref` values are compared everywhere (docs/reference/names.md,
 * "Match keys"). It is lower-cased, and each white-space character becomes a dash. Under the service's own scheme this
 * holds for the id alone, the part after `<scheme>authority/type/`. Surrounding white space does not count. A long name
 * is represented by its beginning and a digest, because index keys are bounded. Idempotent for names that are not long.
 */
export const matchKey = (text: string, names: ServiceNames): string => bounded(wholeMatchKey(text, names));

/** The match key at its full length: for comparing paths, never for an index. */
export const wholeMatchKey = (text: string, names: ServiceNames): string => {
  if (!NEEDS_WORK.test(text)) return text;
  const lower = text.trim().toLowerCase();
  const idStart = lower.startsWith(names.scheme) ? startOfId(lower, names.scheme.length) : 0;
  return lower.slice(0, idStart) + lower.slice(idStart).replace(WHITE_SPACE, '-');
};

/** PostgreSQL refuses index rows over 2,704 bytes; a key of the longest entity and relation together stays below. */
export const MAX_PLAIN_KEY_LENGTH = 400;
const KEPT_LENGTH = 330;

/** The representation is longer than any plain key, so the two never collide. */
const bounded = (key: string): string => {
  if (key.length <= MAX_PLAIN_KEY_LENGTH) return key;
  // A surrogate pair is not cut in two.
  const kept = key.slice(0, /[\uD800-\uDBFF]/.test(key.charAt(KEPT_LENGTH - 1)) ? KEPT_LENGTH + 1 : KEPT_LENGTH);
  return `${kept}:sha256:${sha256Hex(key)}`;
};

/** Match keys of the three names of a fact. */
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

/** Most names are printable ASCII without blanks and capitals, and so are their own key. */
const NEEDS_WORK = /[^!-@[-~]/;
const WHITE_SPACE = /[\s\u0085]/g;

/** Where the id of `authority/type/id` begins; 0 without all three parts. */
const startOfId = (text: string, authorityStart: number): number => {
  const authorityEnd = text.indexOf('/', authorityStart);
  const typeEnd = authorityEnd < 0 ? -1 : text.indexOf('/', authorityEnd + 1);
  const complete = authorityEnd > authorityStart && typeEnd > authorityEnd + 1 && typeEnd + 1 < text.length;
  return complete ? typeEnd + 1 : 0;
};
