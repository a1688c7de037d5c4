/** A property of a settings schema, with the keywords that the node itself reads; Ajv reads the rest. */
export interface PropertySchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly items?: PropertySchema;
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  /** The schema of members that `properties` does not name. */
  readonly additionalProperties?: boolean | PropertySchema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly description?: string | undefined;
  /** The environment variable that sets it. */
  readonly env?: string;
  /** The default path in the node's data folder. */
  readonly dataPath?: string;
  /** True for a secret, which is never printed. */
  readonly writeOnly?: boolean;
  /** The new key of a moved setting, for example `plugins.acme.maxAgeSeconds`. The old key is refused. */
  readonly movedTo?: string;
}

/** A setting with its path: `quota.perMinute` has `['quota', 'perMinute']`. */
export interface SettingProperty {
  readonly path: readonly string[];
  readonly schema: PropertySchema;
}

/** Returns all settings of a schema, in the order of their declaration. A group is represented by its settings. */
export const settingProperties = (json: Readonly<Record<string, unknown>>): SettingProperty[] =>
  walk(json as PropertySchema, []).filter(({ schema }) => schema.movedTo === undefined);

/** Returns the moved settings of a schema by their old key, with their new keys. */
export const movedSettings = (json: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> =>
  new Map(
    walk(json as PropertySchema, []).flatMap(({ path, schema: { movedTo } }) =>
      movedTo === undefined ? [] : [[path.join('.'), movedTo]],
    ),
  );

const walk = (schema: PropertySchema, path: readonly string[]): SettingProperty[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    // Skips `true` and `false`, which are schemas too, because a foreign schema is unchecked here.
    if (typeof property !== 'object' || property === null) return [];
    const at = [...path, name];
    const isGroup = property.properties !== undefined && property.env === undefined;
    return isGroup ? walk(property, at) : [{ path: at, schema: property }];
  });

/** Returns the accepted values of a property, in words that complete "accepts ...". */
export const acceptedBy = (schema: PropertySchema): string => {
  if (schema.enum !== undefined) return `one of ${schema.enum.map(String).join(', ')}`;
  if (schema.const !== undefined) return String(schema.const);
  const types = typesOf(schema);
  if (types.length === 0) return schema.description ?? 'another value';
  return types.map((type) => describeType(type, schema)).join(' or ');
};

export const typesOf = ({ type }: PropertySchema): readonly string[] =>
  type === undefined ? [] : typeof type === 'string' ? [type] : type;

const describeType = (type: string, schema: PropertySchema): string => {
  if (type === 'boolean') return 'true or false (1 or 0)';
  if (type === 'integer') return `a whole number${range(schema)}`;
  if (type === 'number') return `a number${range(schema)}`;
  if (type === 'array') return `a list${schema.items === undefined ? '' : ` of: ${acceptedBy(schema.items)}`}`;
  if (type === 'object') return `a JSON object${members(schema)}`;
  if (type === 'null') return 'null';
  return describeText(schema);
};

const members = ({ additionalProperties }: PropertySchema): string =>
  typeof additionalProperties === 'object'
    ? `, {"name":value, ...}, in which each value is ${acceptedBy(additionalProperties)}`
    : '';

const range = ({ minimum, maximum, exclusiveMinimum }: PropertySchema): string => {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
};

const FORMAT_WORDS: Readonly<Record<string, string>> = {
  uri: 'an absolute URL',
  'http-url': 'an absolute http or https URL without user and password',
  'base-url': 'an absolute http or https URL without user, password, query and fragment',
  'ip-network': 'an IP address or a network such as 10.0.0.0/8',
  origin: 'an origin, scheme://host or scheme://host:port',
};

const describeText = ({ format, pattern, minLength, maxLength, description }: PropertySchema): string => {
  if (format !== undefined) return FORMAT_WORDS[format] ?? `text in the format ${format}`;
  const word = pattern === undefined ? undefined : /^\^(\w+)\$$/.exec(pattern)?.[1];
  if (word !== undefined) return word;
  // Adds the description, because a pattern alone is hard to read.
  if (pattern !== undefined)
    return `text that matches ${pattern}${description === undefined ? '' : ` (${description})`}`;
  if (minLength !== undefined && minLength > 1) return `text of at least ${minLength} characters`;
  if (maxLength !== undefined) return `text of at most ${maxLength} characters`;
  return minLength === 1 ? 'text that is not empty' : 'text';
};
