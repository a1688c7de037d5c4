/** A schema as a client sees it. */
export interface ShownSchema {
  readonly [keyword: string]: unknown;
  readonly type?: unknown;
  readonly anyOf?: readonly ShownSchema[];
  readonly items?: unknown;
  readonly properties?: Readonly<Record<string, ShownSchema>>;
}

/** One part of the arguments of a tool, and the number of objects and lists around it. */
interface Part {
  readonly schema: ShownSchema;
  readonly depth: number;
}

/** A rule returns true for a part that the client refuses or garbles. */
type Rule = (part: Part) => boolean;

const has = (schema: ShownSchema, ...keywords: readonly string[]): boolean =>
  keywords.some((keyword) => Object.hasOwn(schema, keyword));

const isObject = (given: unknown): given is ShownSchema =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

/** The rules for each part, by client: gathered from the documentation of the clients and reports of their users. */
export const REFUSED_PARTS: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  'Claude Code': {
    'has neither a type nor a union, so the value comes as text': ({ schema }) => !has(schema, 'type', 'anyOf'),
    'has a union at the top': ({ schema, depth }) => depth === 0 && has(schema, 'anyOf', 'oneOf', 'allOf'),
  },
  OpenAI: {
    'has neither a type nor a union': ({ schema }) => !has(schema, 'type', 'anyOf'),
    'has a keyword of composition': ({ schema }) =>
      has(schema, 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'),
    'is a list without items': ({ schema }) => schema.type === 'array' && !isObject(schema.items),
    'is nested more than five levels deep': ({ depth }) => depth > 5,
  },
  Gemini: {
    'has several types': ({ schema }) => Array.isArray(schema.type),
    'has a union with null': ({ schema }) =>
      schema.anyOf?.some(({ type }) => type === 'null') ?? schema.type === 'null',
    'has a keyword that its schemas lack': ({ schema }) =>
      has(schema, '$ref', '$defs', 'definitions', '$schema', '$id', 'const', 'oneOf', 'allOf', 'not', 'examples') ||
      has(schema, 'additionalProperties', 'patternProperties', 'exclusiveMinimum', 'exclusiveMaximum', 'env'),
    'has a format that it does not know': ({ schema }) =>
      has(schema, 'format') && !['date-time', 'enum'].includes(String(schema['format'])),
    'lists words without being text': ({ schema }) => has(schema, 'enum') && schema.type !== 'string',
    'is a list without items': ({ schema }) => schema.type === 'array' && !isObject(schema.items),
  },
  Cursor: {
    'refers to another schema': ({ schema }) => has(schema, '$ref', '$defs', 'definitions'),
    'has several types': ({ schema }) => Array.isArray(schema.type),
  },
  'VS Code': {
    'is a list without items': ({ schema }) => schema.type === 'array' && !isObject(schema.items),
    'has a list of schemas as items': ({ schema }) => Array.isArray(schema.items) || has(schema, 'prefixItems'),
  },
};

/** Bounds for the list of tools, the smallest of all clients. */
export const LIST_BOUNDS = {
  /** Cursor joins the names of the server and the tool. */
  nameLength: 60 - 'fact-memory_'.length,
  namePattern: /^[a-zA-Z][a-zA-Z0-9_-]*$/,
  descriptionLength: 1_024,
  /** Cursor passes on 40 tools of all servers together. */
  tools: 40,
  /** Members of all objects of a tool, as OpenAI counts them. */
  members: 100,
} as const;

/** All parts of a schema, with itself. */
export const partsOf = (schema: ShownSchema, depth = 0): readonly Part[] => {
  const inside = [...Object.values(schema.properties ?? {}), ...(isObject(schema.items) ? [schema.items] : [])];
  return [
    { schema, depth },
    ...inside.flatMap((part) => partsOf(part, depth + 1)),
    ...(schema.anyOf ?? []).flatMap((form) => partsOf(form, depth)),
  ];
};
