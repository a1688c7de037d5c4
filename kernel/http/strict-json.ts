import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../ports/service-error.ts';
import { findForbiddenText } from '../text/find-forbidden-text.ts';
import { budgetFor, type JsonBudget, scanJson } from './scan-json.ts';

/**
 * Reads a JSON document exactly as sent, and refuses every ambiguous one.
 * - `malformed_json` (400): invalid UTF-8, a byte order mark, broken syntax, anything after the document, a duplicate
 *   member name in one object, more than 64 levels. The detail gives the position, and never repeats the text.
 * - `too_large` (413): an object with more than 1,000 members, or more members and elements than `budget` still has.
 * - `validation` (422), naming the members: U+0000 or a lone surrogate in a string or a member name.
 * - A number that a double cannot take faithfully (`1e400`, `9007199254740993`) becomes NaN. A schema then refuses it
 *   with its own words, and a member without effect ignores it. See `isFaithfulNumber`. Negative zero stays.
 * - `__proto__` becomes an own member like any other and touches no prototype. Copy such objects by spreading, which
 *   preserves that, not with `Object.assign`.
 * Everything else is as in `JSON.parse`. `root` is the name of the document in violations. The usual budget is that of
 * the largest body.
 */
export const parseStrictJson = (bytes: Uint8Array, root = 'body', budget = budgetFor(Infinity)): unknown => {
  if (!isUtf8(bytes)) throw new ServiceError('malformed_json', `the ${root} is not valid UTF-8`);
  return parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), root, budget);
};

/** Parses a text that is already decoded, like `parseStrictJson`. */
export const parseStrictJsonText = (text: string, root = 'body'): unknown => {
  // Encoding replaces lone surrogates, but changes no position that the scan reads.
  const value = parse(Buffer.from(text), root, budgetFor(Infinity));
  if (!text.isWellFormed()) refuseForbiddenText(JSON.parse(text), root);
  return value;
};

/**
 * Replaces each number that a double cannot hold by one that overflows, so that `JSON.parse` yields an infinity and the
 * check of the member refuses it. Throws for ambiguous documents, as `parseStrictJson` does.
 */
export const infiniteForUnfaithful = (bytes: Buffer, root: string): Buffer => {
  const { unfaithfulNumbers } = scanJson(bytes, root, budgetFor(Infinity));
  return unfaithfulNumbers.length === 0 ? bytes : Buffer.from(replaceAll(bytes, unfaithfulNumbers));
};

const parse = (bytes: Buffer, root: string, budget: JsonBudget): unknown => {
  const { unfaithfulNumbers, suspectEscape } = scanJson(bytes, root, budget);
  const value: unknown =
    unfaithfulNumbers.length === 0
      ? JSON.parse(bytes.toString())
      : JSON.parse(replaceAll(bytes, unfaithfulNumbers), infinityToNaN);
  if (suspectEscape) refuseForbiddenText(value, root);
  return value;
};

/** Replaces each span by a number that overflows, because JSON has none for NaN. */
const replaceAll = (bytes: Buffer, spans: readonly (readonly [start: number, end: number])[]): string => {
  let end = 0;
  const parts: string[] = [];
  for (const span of spans) {
    parts.push(bytes.toString('utf8', end, span[0]), '1e999');
    end = span[1];
  }
  return parts.join('') + bytes.toString('utf8', end);
};

const infinityToNaN = (_name: string, value: unknown): unknown =>
  value === Number.POSITIVE_INFINITY ? Number.NaN : value;

const refuseForbiddenText = (value: unknown, root: string): void => {
  const violations = findForbiddenText(value, root);
  if (violations.length === 0) return;
  throw new ServiceError('validation', `the ${root} contains text with U+0000 or a lone surrogate`, { violations });
};
