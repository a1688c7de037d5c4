import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../ports/service-error.ts';
import { findForbiddenText } from './find-forbidden-text.ts';
import { scanJson } from './scan-json.ts';

/**
 * Reads a JSON document as sent, and nothing that a reader could understand in two ways (reliability.md, D12).
 *
 * - `malformed_json` (400): invalid UTF-8, a byte order mark, broken syntax, anything after the document, a member name
 *   that occurs twice in one object, more than 64 levels. The detail says where, and never repeats what stands there.
 * - `validation` (422), naming the members: U+0000 or a lone surrogate in a string or a member name.
 * - A number that a double cannot take faithfully (`1e400`, `9007199254740993`) becomes NaN: a schema then refuses it
 *   with its own words where it matters, and it is ignored with the member where unknown members are ignored. See
 *   `isFaithfulNumber`. Negative zero stays.
 * - `__proto__` becomes an own member like any other and touches no prototype; copy such objects by spreading, which
 *   keeps that, not with `Object.assign`.
 *
 * Everything else is what `JSON.parse` answers. `root` is how violations name the document.
 */
export const parseStrictJson = (bytes: Uint8Array, root = 'body'): unknown => {
  if (!isUtf8(bytes)) throw new ServiceError('malformed_json', `the ${root} is not valid UTF-8`);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return parse(text, root, false);
};

/** The same for a text that is already decoded. */
export const parseStrictJsonText = (text: string, root = 'body'): unknown => parse(text, root, !text.isWellFormed());

const parse = (text: string, root: string, hasLoneSurrogate: boolean): unknown => {
  const { unfaithfulNumbers, suspectEscape } = scanJson(text, root);
  const value: unknown =
    unfaithfulNumbers.length === 0 ? JSON.parse(text) : JSON.parse(replaceAll(text, unfaithfulNumbers), infinityToNaN);
  if (suspectEscape || hasLoneSurrogate) refuseForbiddenText(value, root);
  return value;
};

/** Puts a literal that overflows in the place of each span, because JSON has none for NaN. */
const replaceAll = (text: string, spans: readonly (readonly [start: number, end: number])[]): string => {
  let end = 0;
  const parts: string[] = [];
  for (const span of spans) {
    parts.push(text.slice(end, span[0]), '1e999');
    end = span[1];
  }
  return parts.join('') + text.slice(end);
};

const infinityToNaN = (_name: string, value: unknown): unknown =>
  value === Number.POSITIVE_INFINITY ? Number.NaN : value;

const refuseForbiddenText = (value: unknown, root: string): void => {
  const violations = findForbiddenText(value, root);
  if (violations.length === 0) return;
  throw new ServiceError('validation', `the ${root} contains text with U+0000 or a lone surrogate`, { violations });
};
