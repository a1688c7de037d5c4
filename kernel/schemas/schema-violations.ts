import type { ErrorObject } from 'ajv';
import type { Violation } from '../../ports/ports.ts';
import { MAX_VIOLATIONS } from '../problems/refusals.ts';
import { countNoun } from '../text/count-noun.ts';
import { memberPath } from '../text/find-forbidden-text.ts';
import { UNFAITHFUL_NUMBER } from '../text/spelled-number.ts';

/** Translates Ajv's errors for a problem document. It names members, but never their values. */
export const violationsOf = (errors: readonly ErrorObject[], root: string): readonly Violation[] => {
  const found = new Map<string, Violation>();
  for (const error of errors) {
    if (found.size === MAX_VIOLATIONS) break;
    if (error.keyword === 'if') continue;
    const violation = { path: pathOf(error, root), message: messageOf(error) };
    found.set(`${violation.path} ${violation.message}`, violation);
  }
  return [...found.values()];
};

const pathOf = ({ instancePath, params }: ErrorObject, root: string): string => {
  let path = root;
  for (const segment of instancePath.split('/').slice(1)) {
    const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    path = INDEX.test(name) ? `${path}[${name}]` : memberPath(path, name);
  }
  const member: unknown = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  return typeof member === 'string' ? memberPath(path, member) : path;
};

const INDEX = /^(?:0|[1-9]\d*)$/;

const messageOf = (error: ErrorObject): string => {
  const say = MESSAGES[error.keyword];
  return say === undefined ? (error.message ?? 'is not valid') : say(error.params, error.data);
};

type Params = ErrorObject['params'];

const MESSAGES: Readonly<Record<string, (params: Params, data: unknown) => string>> = {
  required: () => 'is required',
  dependentRequired: () => 'lacks a member that it needs here',
  additionalProperties: () => 'is not a known member',
  unevaluatedProperties: () => 'is not a known member',
  type: ({ type }, data) =>
    typeof data === 'number' && !Number.isFinite(data)
      ? UNFAITHFUL_NUMBER
      : `must be ${[type].flat().map(typeName).join(' or ')}`,
  nullable: () => 'must not be null',
  enum: ({ allowedValues }) =>
    `must be one of ${(allowedValues as unknown[]).map((v) => JSON.stringify(v)).join(', ')}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${limit}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: ({ limit }) => `must have at most ${countNoun(limit, 'character')}`,
  pattern: ({ pattern }) => `must match ${pattern}`,
  format: ({ format }) => `must be a valid ${format}`,
  minItems: ({ limit }) => (limit === 1 ? 'must have an entry' : `must have at least ${limit} entries`),
  maxItems: ({ limit }) => `must have at most ${countNoun(limit, 'entry', 'entries')}`,
  uniqueItems: () => 'must not have two equal entries',
  minProperties: ({ limit }) => (limit === 1 ? 'must have a member' : `must have at least ${limit} members`),
  maxProperties: ({ limit }) => `must have at most ${countNoun(limit, 'member')}`,
  'false schema': () => 'is not allowed here',
  anyOf: () => 'has none of the allowed forms',
  oneOf: () => 'must have exactly one of the allowed forms',
  not: () => 'has a form that is not allowed',
};

const typeName = (type: unknown): string => TYPE_NAMES[String(type)] ?? String(type);

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};
