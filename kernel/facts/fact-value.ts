import type { ContentSeal, SealedSubject } from '../../ports/content-seal.ts';
import { type FactValue, VALUE_TYPES, type ValueType } from '../../ports/fact.ts';
import { instantKey, parseDateOrInstant } from '../../ports/instant.ts';
import { ServiceError } from '../../ports/service-error.ts';
import { sha256Hex } from '../crypto/sha256-digest.ts';
import type { ServiceNames } from '../identity/service-names.ts';
import { memberRefusal } from '../problems/member-refusal.ts';
import { UNFAITHFUL_NUMBER } from '../text/spelled-number.ts';
import { hasForbiddenCodePoint, isWithinBytes } from '../text/text-rules.ts';
import { lengthProblemOfUri, problemOfUri } from './fact-identity.ts';
import { matchKey } from './match-key.ts';

/** The maximum size of a string in UTF-8 bytes. */
export const MAX_STRING_BYTES = 16 * 1024;
export const MAX_TEXT_BYTES = 1024 * 1024;

/** The members of a FactValue, for the schema of a body. `readFactValue` checks their content. */
export const FACT_VALUE_JSON = { properties: { type: {}, v: {}, interpret_as: {} } } as const;

/**
 * Reads a FactValue without converting anything; `FACT_VALUE_JSON` lists the members. `path` names the value, as in a
 * `Violation`. Throws `validation` (422), or `value_too_large` (413) for a string or text that is too long.
 */
export const readFactValue = (input: unknown, path: string): FactValue => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw memberRefusal(path, 'must be an object with the members type and v');
  }
  // Reads only own members, so that a prototype provides none.
  const member = (name: string): unknown =>
    Object.hasOwn(input, name) ? (input as Readonly<Record<string, unknown>>)[name] : undefined;
  const type = member('type');
  if (!isValueType(type)) throw memberRefusal(`${path}.type`, `must be one of ${VALUE_TYPES.join(', ')}`);
  const interpretAs = member('interpret_as') ?? 'content';
  if (interpretAs !== 'content' && interpretAs !== 'instruction') {
    throw memberRefusal(`${path}.interpret_as`, 'must be content or instruction');
  }
  return { type, v: readContent(type, member('v'), `${path}.v`), interpretAs };
};

/**
 * Returns a key that is equal for values of the same type and meaning. Numbers are compared numerically, datetimes by
 * instant, refs by match key, everything else by code points. `interpretAs` does not count. A key has at most
 * `MAX_VALUE_KEY_LENGTH` characters.
 */
export const valueKey = (value: FactValue, names: ServiceNames): string => {
  switch (value.type) {
    case 'string':
      return boundedKey('s', value.v as string);
    case 'text':
      return boundedKey('t', value.v as string);
    case 'number':
      // JavaScript writes both zeros as `0`.
      return `n:${value.v}`;
    case 'boolean':
      return value.v === true ? 'b:true' : 'b:false';
    case 'datetime':
      return boundedKey('d', instantKey(value.v as string) ?? (value.v as string));
    case 'ref':
      return boundedKey('r', matchKey(value.v as string, names));
    case 'null':
      return 'null';
  }
};

/** The subject and the value of a fact. */
type Said = SealedSubject & { readonly value: FactValue };

/**
 * Returns the key by which the store compares the value of a fact. In a sealed store it is a digest, which is equal for
 * equal values of one subject.
 */
export const storedValueKey = (fact: Said, { names, seal }: ValueKeyParts): string => {
  const key = valueKey(fact.value, names);
  return seal === undefined ? key : seal.digestOf(fact, key);
};

export interface ValueKeyParts {
  readonly names: ServiceNames;
  /** Undefined where the store is clear. */
  readonly seal?: Pick<ContentSeal, 'digestOf' | 'version'> | undefined;
}

/** The maximum length of a value key: a tag, a separator, and 120 characters or a digest. */
export const MAX_VALUE_KEY_LENGTH = 122;

/** Returns the value as plain text: `v` itself for texts, the JSON form for everything else. */
export const valueText = (value: FactValue): string =>
  typeof value.v === 'string' ? value.v : JSON.stringify(value.v);

const MAX_PLAIN_LENGTH = MAX_VALUE_KEY_LENGTH - 2;
const KNOWN_TYPES: ReadonlySet<unknown> = new Set(VALUE_TYPES);

const isValueType = (type: unknown): type is ValueType => KNOWN_TYPES.has(type);

/**
 * Returns the key of a text. Plain and hashed keys have different separators, so that no short text can equal the key
 * of a long one.
 */
const boundedKey = (tag: string, text: string): string =>
  text.length <= MAX_PLAIN_LENGTH ? `${tag}:${text}` : `${tag}#${sha256Hex(text)}`;

const readContent = (type: ValueType, v: unknown, path: string): FactValue['v'] => {
  switch (type) {
    case 'string':
      return readText(v, path, MAX_STRING_BYTES);
    case 'text':
      return readText(v, path, MAX_TEXT_BYTES);
    case 'number':
      if (typeof v === 'number' && Number.isFinite(v)) return v;
      throw memberRefusal(path, typeof v === 'number' ? UNFAITHFUL_NUMBER : 'must be a number');
    case 'boolean':
      if (typeof v === 'boolean') return v;
      throw memberRefusal(path, 'must be true or false');
    case 'datetime':
      if (typeof v === 'string' && parseDateOrInstant(v) !== null) return v;
      throw memberRefusal(path, 'must be an RFC 3339 date-time with offset, or a date');
    case 'ref':
      return readRef(v, path);
    case 'null':
      if (v === undefined || v === null) return null;
      throw memberRefusal(path, 'must be null or absent');
  }
};

const readText = (v: unknown, path: string, maxBytes: number): string => {
  if (typeof v !== 'string') throw memberRefusal(path, 'must be a string');
  if (!isWithinBytes(v, maxBytes)) {
    const problem = `must not be longer than ${maxBytes} bytes in UTF-8`;
    throw new ServiceError('value_too_large', `${path} ${problem}`, {
      violations: [{ path, message: problem }],
      ...(maxBytes < MAX_TEXT_BYTES ? { hint: `the type text takes up to ${MAX_TEXT_BYTES} bytes` } : {}),
    });
  }
  if (hasForbiddenCodePoint(v)) throw memberRefusal(path, 'must not contain U+0000 or a lone surrogate');
  return v;
};

/**
 * Reads a reference, which is stored as sent and trimmed only in comparisons. White space around it counts towards its
 * length, because a read of a thousand references must stay small.
 */
const readRef = (v: unknown, path: string): string => {
  if (typeof v !== 'string') throw memberRefusal(path, 'must be a string');
  const problem = problemOfUri(v.trim()) ?? lengthProblemOfUri(v);
  if (problem !== null) throw memberRefusal(path, problem);
  return v;
};
