import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import type { InspectReply } from '../../kernel/http/compile-route.ts';
import type { Components } from '../../kernel/internal-api.ts';
import { component, type JsonSchema, PROBLEM, parseInstant, type Route } from '../../kernel/plugin-api.ts';
import { componentName } from '../../kernel/vocabulary/components.ts';
import type { OutboundReply } from '../../ports/ports.ts';

/** A reply that its route does not declare. */
export class UndeclaredReply extends Error {
  override readonly name = 'UndeclaredReply';
}

const unfit: UndeclaredReply[] = [];

/**
 * Returns the undeclared replies since the last call, so that a hook after each test fails even a test that expected a
 * failed request.
 */
export const takeUndeclaredReplies = (): readonly UndeclaredReply[] => unfit.splice(0);

/**
 * Checks every reply against the declaration of its route: status, media type, and exactly the declared members.
 * Problem documents must match the schema `Problem`. Of a stream, only the media type is checked.
 */
export const checkReplies = (components: Components): InspectReply => {
  const check = checkerFor(components);
  return (reply, route) => {
    const problem = problemOfReply(reply, route, check);
    if (problem === undefined) return;
    const where = route === undefined ? 'a request that no route takes' : `${route.method} ${route.path}`;
    const error = new UndeclaredReply(`${where} replied ${reply.status}: ${problem}`);
    unfit.push(error);
    throw error;
  };
};

// biome-ignore lint/suspicious/noExplicitAny: routes of any shape
type AnyRoute = Route<any, any, any>;

/** Returns the difference between a value and its schema; undefined if they match. */
type Check = (schema: JsonSchema, value: unknown) => string | undefined;

const problemOfReply = (reply: OutboundReply, route: AnyRoute | undefined, check: Check): string | undefined => {
  const { status, body } = reply;
  const declared = route?.answers?.[status];
  const isUndeclared = route !== undefined && route.answers === undefined;
  if (isUndeclared && mediaType(reply) !== PROBLEM_TYPE) return undefined;
  if (declared === undefined && status >= 400) return problemOfRefusal(reply, check);
  if (declared === undefined) return 'the route declares no such status';
  const { json, part, text = [] } = declared;
  const form = mediaType(reply);
  if (body === undefined || form === undefined) {
    if (body !== undefined) return 'the body has no Content-Type';
    return json === undefined && text.length === 0 ? undefined : 'there is no body';
  }
  if (text.includes(form)) return undefined;
  if (json === undefined || form !== 'application/json') return `the route declares no body of the type ${form}`;
  const document = JSON.parse(textOf(body));
  const problem = check(json, document);
  return part === undefined || problem === undefined || check(part, document) !== undefined ? problem : undefined;
};

const problemOfRefusal = (reply: OutboundReply, check: Check): string | undefined => {
  if (mediaType(reply) !== PROBLEM_TYPE) return 'an undeclared refusal must be a problem document';
  const document = JSON.parse(textOf(reply.body));
  return (
    check(component(PROBLEM), document) ??
    (document.status === reply.status ? undefined : `its document says ${document.status}`)
  );
};

const PROBLEM_TYPE = 'application/problem+json';

const mediaType = ({ headers }: OutboundReply): string | undefined => headers['Content-Type']?.split(';')[0];

const textOf = (body: OutboundReply['body']): string => {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  throw new UndeclaredReply('a stream cannot be JSON that a schema describes; declare its media type as text');
};

/** One checker per set of schemas, because nodes with the same plugins can share it. */
const checkers = new Map<string, Check>();

const checkerFor = (components: Components): Check => {
  const key = JSON.stringify(components);
  const known = checkers.get(key);
  if (known !== undefined) return known;
  const created = createChecker(components);
  checkers.set(key, created);
  return created;
};

const OPTIONS: Options = {
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  allErrors: true,
  logger: false,
  // Optimising the generated code takes longer than the few checks of a test run.
  code: { optimize: false },
};

/** Checks the schemas of all checkers, because each further instance would compile the schema of schemas again. */
const wellFormed = new Ajv2020(OPTIONS);

const createChecker = (components: Components): Check => {
  const ajv = new Ajv2020({ ...OPTIONS, meta: false, validateSchema: false });
  ajv.addFormat('date-time', (text) => parseInstant(text) !== null);
  ajv.addFormat('uuid', UUID);
  for (const [name, schema] of Object.entries(components)) {
    ajv.addSchema(checked(closed(schema)), name);
    ajv.addSchema(checked(closed(schema, 'open')), `${name}${OPEN}`);
  }
  const compiled = new Map<string, ValidateFunction>();
  const known = new WeakMap<JsonSchema, ValidateFunction>();
  const compile = (schema: JsonSchema): ValidateFunction => {
    const text = JSON.stringify(schema);
    const validate = compiled.get(text) ?? ajv.compile(checked(closed(schema)));
    compiled.set(text, validate);
    known.set(schema, validate);
    return validate;
  };
  return (schema, value) => {
    const validate = known.get(schema) ?? compile(schema);
    return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' });
  };
};

/** Throws for an invalid schema. */
const checked = (schema: unknown): JsonSchema => {
  const isValid = wellFormed.validateSchema(schema as JsonSchema);
  if (isValid !== true) throw new Error(`the schema is invalid: ${wellFormed.errorsText()}`);
  return schema as JsonSchema;
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Closes every object of a schema that does not allow extra members, and rewrites references for Ajv. The parts of an
 * `allOf` stay open for one another, and only the whole refuses unknown members.
 */
const closed = (schema: unknown, stays: 'open' | 'closed' = 'closed'): unknown => {
  if (Array.isArray(schema)) return schema.map((each) => closed(each));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref: reference, ...rest } = schema as Record<string, unknown>;
  const name = componentName(reference) ?? reference;
  const says = 'additionalProperties' in rest || 'unevaluatedProperties' in rest;
  return {
    ...(reference !== undefined && { $ref: stays === 'open' ? `${name}${OPEN}` : name }),
    ...Object.fromEntries(Object.entries(rest).map(([keyword, value]) => [keyword, closedKeyword(keyword, value)])),
    ...('properties' in rest && stays === 'closed' && !says && { additionalProperties: false }),
    ...('allOf' in rest && stays === 'closed' && !says && { unevaluatedProperties: false }),
  };
};

const closedKeyword = (keyword: string, value: unknown): unknown => {
  if (keyword === 'enum' || keyword === 'const') return value;
  if (keyword === 'allOf') return (value as unknown[]).map((part) => closed(part, 'open'));
  if (keyword !== 'properties') return closed(value);
  return Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, closed(each)]));
};

/** The suffix of a schema name whose own object stays open. */
const OPEN = '-open';
