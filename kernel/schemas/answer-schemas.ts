/** A JSON Schema (2020-12), as data. An object that lists its `properties` has no others, unless it says so. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * One answer of a route. `json` describes a JSON body (a `Schema` will do), `text` names the media types of bodies that
 * are text or a stream. Neither: there is no body.
 */
export interface Answer {
  readonly json?: JsonSchema;
  /** The JSON body for a request that names `fields`. */
  readonly part?: JsonSchema;
  readonly text?: readonly string[];
  /** Headers that the route adds, each with its meaning. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The answers of a route, by status, for the API reference and clients. The test kit refuses any other reply: one of an
 * unlisted status, or whose body lacks a member or has one too many.
 */
export type Answers = Readonly<Record<number, Answer>>;

export const NO_BODY: Answer = Object.freeze({});

/** An object with these members, all required except the optional ones. */
export const objectOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  { optional = [] }: { readonly optional?: readonly string[] } = {},
): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** The schema, or null. */
export const orNull = (json: JsonSchema): JsonSchema => {
  const { type, enum: values } = json;
  if (type === undefined) return { anyOf: [json, { type: 'null' }] };
  return { ...json, type: [...[type].flat(), 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) };
};

export const STRING_JSON: JsonSchema = { type: 'string' };
export const BOOLEAN_JSON: JsonSchema = { type: 'boolean' };
/** A count: a whole number, 0 or more. */
export const COUNT_JSON: JsonSchema = { type: 'integer', minimum: 0 };
/** A confidence or a score: from 0 to 1. */
export const SHARE_JSON: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };
/** RFC 3339. */
export const INSTANT_JSON: JsonSchema = { type: 'string', format: 'date-time' };
/** The cursor of a list's next page; null at its end. */
export const CURSOR_JSON: JsonSchema = { type: ['string', 'null'] };
/** Only true, and only in an answer that leaves items out because of its length. */
export const TRUNCATED_JSON: JsonSchema = { type: 'boolean', const: true };
