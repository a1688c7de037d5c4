import { MAX_PLAIN_KEY_LENGTH, type PreparedFact, wholeMatchKey } from '../../kernel/internal-api.ts';
import {
  isWithinCharacters,
  memberRefusal,
  readEntityUri,
  type ServiceError,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';

/** Characters of a pattern: as many as a match key may have that stands for itself. */
export const MAX_PATTERN_LENGTH = MAX_PLAIN_KEY_LENGTH;

/** The end of a prefix pattern. */
const REST = '*';

export interface NamespacePattern {
  readonly pattern: string;
  /** Tells patterns apart: those of one key are the same namespace. */
  readonly key: string;
}

/** Throws `validation` (`bad_parameter` in a query) or `invalid_entity_uri`; `path` names the member. */
export const readPattern = (input: string, path: string, names: ServiceNames): NamespacePattern => {
  const pattern = readEntityUri(input, path);
  if (!isWithinCharacters(pattern, MAX_PATTERN_LENGTH)) {
    throw refusal(path, `must be at most ${MAX_PATTERN_LENGTH} characters long`);
  }
  const prefix = prefixOf(pattern);
  if ((prefix ?? pattern).includes(REST) || prefix?.endsWith('/') === false) {
    throw refusal(path, 'may have a * only at its end, after a slash');
  }
  const key = prefix === null ? keyOf(pattern, names) : keyOf(prefix, names) + REST;
  return { pattern, key };
};

const refusal = (path: string, problem: string): ServiceError =>
  memberRefusal(path, problem, path.startsWith('query.') ? 'bad_parameter' : 'validation');

/** The part before the star of a pattern, or of its key, that stands for a path; null for a single entity. */
export const prefixOf = (pattern: string): string | null =>
  pattern.endsWith(REST) ? pattern.slice(0, -REST.length) : null;

/**
 * The key by which rules find an entity, at its full length. It equates more spellings than match keys do, because a
 * match key keeps white space in the authority of a whole name but not in a part of one. A rule that covers a spelling
 * too many refuses; one that covers too few would admit strangers.
 */
export const namespaceKeyOf = (fact: Pick<PreparedFact, 'entity' | 'entityKey'>, names: ServiceNames): string =>
  // A longer key is a digest, which tells nothing about paths.
  fact.entityKey.length <= MAX_PLAIN_KEY_LENGTH ? withoutBlanks(fact.entityKey) : keyOf(fact.entity, names);

const keyOf = (text: string, names: ServiceNames): string => withoutBlanks(wholeMatchKey(text, names));

const withoutBlanks = (key: string): string => key.replace(/[\s\u0085]/g, '-');
