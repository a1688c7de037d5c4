import { readRelation } from '../../kernel/internal-api.ts';
import {
  equals,
  type Filter,
  matchKey,
  memberRefusal,
  type ServiceNames,
  startsWith,
} from '../../kernel/plugin-api.ts';

/** The character that ends a prefix pattern. */
const REST = '*';

export interface RelationPattern {
  readonly pattern: string;
  /** The match key of the pattern. Patterns with equal keys are the same pattern. */
  readonly key: string;
}

/** Returns the pattern in a text. Throws `validation`, or `bad_parameter` for a query; `path` names the member. */
export const readPattern = (input: string, path: string, names: ServiceNames): RelationPattern => {
  const pattern = readRelation(input.trim(), path);
  const prefix = prefixOf(pattern);
  if ((prefix ?? pattern).includes(REST)) {
    const code = path.startsWith('query.') ? 'bad_parameter' : 'validation';
    throw memberRefusal(path, 'may have a * only at its end', code);
  }
  return { pattern, key: prefix === null ? matchKey(pattern, names) : matchKey(prefix, names) + REST };
};

/** Returns the part before the star of a pattern or key; null for a pattern of a single relation. */
export const prefixOf = (pattern: string): string | null =>
  pattern.endsWith(REST) ? pattern.slice(0, -REST.length) : null;

/** Matches the facts of the relations that the pattern with this key covers. */
export const coveredBy = (key: string): Filter => {
  const prefix = prefixOf(key);
  return prefix === null ? equals('relationKey', key) : startsWith('relationKey', prefix);
};
