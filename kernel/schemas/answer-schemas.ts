/**
 * A JSON Schema (2020-12) as data. An object with `properties` allows no others, unless `additionalProperties` does.
 */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * One answer of a route. `json` describes a JSON body (a `Schema` is accepted too), `text` lists the media types of a
 * body that is text or a stream. Without both there is no body.
 */
export interface Answer {
  readonly json?: JsonSchema;
  /** The schema of the JSON body for a request with `fields`. */
  readonly part?: JsonSchema;
  readonly text?: readonly string[];
  /** The headers that the route adds, each with its meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The answers of a route, by status, for the API reference and clients. The test kit refuses any other reply: one of an
 * unlisted status, or whose body lacks a member or has one too many.
 */
export type Answers = Readonly<Record<number, Answer>>;

export const NO_BODY: Answer = Object.freeze({});

/** Returns the schema of an object with these members, all required except the optional ones. */
export const objectOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  { optional = [] }: { readonly optional?: readonly string[] } = {},
): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** Returns the schema that also accepts null. */
export const orNull = (json: JsonSchema): JsonSchema => {
  const { type, enum: values } = json;
  if (type === undefined) return { anyOf: [json, { type: 'null' }] };
  return { ...json, type: [...[type].flat(), 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) };
};

export const STRING_JSON: JsonSchema = { type: 'string' };
export const BOOLEAN_JSON: JsonSchema = { type: 'boolean' };
/** The schema of a count, an integer from 0. */
export const COUNT_JSON: JsonSchema = { type: 'integer', minimum: 0 };
/** The schema of a confidence or a score, from 0 to 1. */
export const SHARE_JSON: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };
/** The schema of an RFC 3339 instant. */
export const INSTANT_JSON: JsonSchema = { type: 'string', format: 'date-time' };
/** The schema of the cursor for a list's next page; null at the end. */
export const CURSOR_JSON: JsonSchema = { type: ['string', 'null'] };
/** The schema of a member that is true when an answer omits items because of its length, and absent otherwise. */
export const TRUNCATED_JSON: JsonSchema = { type: 'boolean', const: true };
