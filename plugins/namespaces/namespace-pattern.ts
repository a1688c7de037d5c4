import {
  isWithinCharacters,
  MAX_PLAIN_KEY_LENGTH,
  type PreparedFact,
  wholeMatchKey,
  withoutBlanks,
} from '../../kernel/internal-api.ts';
import { memberRefusal, readEntityUri, type ServiceError, type ServiceNames } from '../../kernel/plugin-api.ts';

/** The maximum number of characters of a pattern. A longer match key would be a digest. */
export const MAX_PATTERN_LENGTH = MAX_PLAIN_KEY_LENGTH;

/** The character that ends a prefix pattern. */
const REST = '*';

export interface NamespacePattern {
  readonly pattern: string;
  /** Identifies the namespace: patterns with equal keys are the same one. */
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

/** Returns the part before the star of a pattern or key. Null for a pattern of a single entity. */
export const prefixOf = (pattern: string): string | null =>
  pattern.endsWith(REST) ? pattern.slice(0, -REST.length) : null;

/**
 * Returns the key by which rules find an entity, without truncation. It ignores more differences in spelling than match
 * keys: a match key keeps white space in the authority of a whole name, but not in a part of a name. A rule that
 * matches too many spellings refuses some writes, which is safer than to let strangers write.
 */
export const namespaceKeyOf = (fact: Pick<PreparedFact, 'entity' | 'entityKey'>, names: ServiceNames): string =>
  // A longer match key is a digest, which contains no path.
  fact.entityKey.length <= MAX_PLAIN_KEY_LENGTH ? withoutBlanks(fact.entityKey) : keyOf(fact.entity, names);

const keyOf = (text: string, names: ServiceNames): string => withoutBlanks(wholeMatchKey(text, names));
