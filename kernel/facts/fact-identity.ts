import type { ServiceError } from '../../ports/service-error.ts';
import { memberRefusal } from '../problems/member-refusal.ts';
import { hasForbiddenCodePoint, hasWhiteSpace, isControlFree, isWithinCharacters } from '../text/text-rules.ts';

/** The maximum length of a URI in characters, after trimming. */
const MAX_URI_LENGTH = 2048;
const MAX_RELATION_LENGTH = 256;

/**
 * Reads and trims an entity or source. Throws `validation` for anything but a string, and `invalid_entity_uri` for a
 * string that breaks the rule. `path` names the member, as in a `Violation`. The status is 422, or 400 when the path
 * starts in the query, the path or a header.
 */
export const readEntityUri = (input: unknown, path: string): string => {
  if (typeof input !== 'string') throw refusal('validation', path, 'must be a string');
  const text = input.trim();
  const problem = problemOfUri(text);
  if (problem !== null) throw refusal('invalid_entity_uri', path, problem);
  return text;
};

/** Reads a relation. Throws `validation`, with the status as in `readEntityUri`. */
export const readRelation = (input: unknown, path: string): string => {
  if (typeof input !== 'string') throw refusal('validation', path, 'must be a string');
  if (input === '' || !isWithinCharacters(input, MAX_RELATION_LENGTH)) {
    throw refusal('validation', path, `must be 1 to ${MAX_RELATION_LENGTH} characters long`);
  }
  if (hasWhiteSpace(input)) throw refusal('validation', path, 'must not contain white space');
  if (!isControlFree(input)) throw refusal('validation', path, 'must not contain control characters');
  if (hasForbiddenCodePoint(input)) throw refusal('validation', path, 'must not contain a lone surrogate');
  return input;
};

/** Returns a sentence about a mistake in a trimmed URI or opaque id; null for a valid one. */
export const problemOfUri = (text: string): string | null => {
  if (text === '' || !isWithinCharacters(text, MAX_URI_LENGTH)) {
    return `must be 1 to ${MAX_URI_LENGTH} characters long after trimming`;
  }
  if (!isControlFree(text)) return 'must not contain control characters';
  return hasForbiddenCodePoint(text) ? 'must not contain a lone surrogate' : null;
};

/** Returns a sentence about a URI that is too long together with the white space around it; null for any other. */
export const lengthProblemOfUri = (sent: string): string | null =>
  isWithinCharacters(sent, MAX_URI_LENGTH)
    ? null
    : `must be at most ${MAX_URI_LENGTH} characters long, with the white space around it`;

const OUTSIDE_BODY = /^(query|path|params|headers?)\b/;

const refusal = (code: 'validation' | 'invalid_entity_uri', path: string, problem: string): ServiceError =>
  memberRefusal(path, problem, code, OUTSIDE_BODY.test(path) ? { status: 400 } : {});
