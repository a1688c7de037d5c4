import { maskName } from '../../ports/mask-keys.ts';
import type { Violation } from '../../ports/service-error.ts';
import { hasForbiddenCodePoint } from './text-rules.ts';

/** The maximum number of reported violations, enough to correct a request. */
const MAX_VIOLATIONS = 10;

/**
 * Returns the paths of strings and member names in a JSON value that contain U+0000 or a lone surrogate, at most ten.
 * Recursive, for values with limited nesting.
 */
export const findForbiddenText = (value: unknown, path: string): readonly Violation[] => {
  const found: Violation[] = [];
  collect(value, path, found);
  return found;
};

/** Returns the path of a member: `body.value`, or `body["a b"]` for an unusual name. Masks a possible key. */
export const memberPath = (path: string, name: string): string => {
  const shown = maskName(name);
  return PLAIN_NAME.test(shown) ? `${path}.${shown}` : `${path}[${JSON.stringify(shown.toWellFormed())}]`;
};

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

const collect = (value: unknown, path: string, found: Violation[]): void => {
  if (found.length >= MAX_VIOLATIONS) return;
  if (typeof value === 'string') {
    if (hasForbiddenCodePoint(value)) found.push({ path, message: 'must not contain U+0000 or a lone surrogate' });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect(item, `${path}[${index}]`, found);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (hasForbiddenCodePoint(name)) {
      found.push({ path, message: 'must not have a member name with U+0000 or a lone surrogate' });
    }
    collect(member, memberPath(path, name), found);
  }
};
