/** A JSON Schema, as far as a reader needs it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const COMPONENT = '#/components/schemas/';

/** What a value may be, in few words; schemas with a name of their own are linked. */
export const typeWords = (schema: JsonSchema): string => {
  const { $ref: reference, anyOf, oneOf, enum: values, const: only } = schema;
  if (typeof reference === 'string') return linkTo(reference);
  const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
  if (choices !== undefined) return [...new Set(choices.map(typeWords))].join(' or ');
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(', ');
  if (only !== undefined) return JSON.stringify(only);
  const types = [(schema['type'] ?? []) as string | readonly string[]].flat();
  return types.length === 0 ? 'any value' : types.map((type) => oneTypeWords(type, schema)).join(' or ');
};

const oneTypeWords = (type: string, schema: JsonSchema): string => {
  if (type === 'array') return `list of ${typeWords((schema['items'] ?? {}) as JsonSchema)}`;
  if (type === 'integer') return `whole number${bounds(schema)}`;
  if (type === 'number') return `number${bounds(schema)}`;
  if (type === 'string') return schema['format'] === 'date-time' ? 'instant' : `text${lengths(schema)}`;
  if (type !== 'object') return type;
  const members = Object.keys(membersOf(schema));
  return members.length === 0 ? 'object' : `{ ${members.join(', ')} }`;
};

export const membersOf = (schema: JsonSchema): Readonly<Record<string, JsonSchema>> =>
  (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;

/** One row for each member of an object: name, what it may be, whether it has to be there, what it means. */
export const memberRows = (schema: JsonSchema): string[] => {
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  return Object.entries(membersOf(schema)).map(([name, member]) => {
    const fallback = member['default'];
    const presence = fallback !== undefined ? JSON.stringify(fallback) : required.has(name) ? 'required' : 'optional';
    return tableRow(`\`${name}\``, typeWords(member), presence, String(member['description'] ?? ''));
  });
};

export const tableRow = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;

export const tableHead = (...names: readonly string[]): string[] => [
  tableRow(...names),
  `|${'---|'.repeat(names.length)}`,
];

const linkTo = (reference: string): string => {
  const name = reference.startsWith(COMPONENT) ? reference.slice(COMPONENT.length) : reference;
  return `[${name}](#${name.toLowerCase()})`;
};

const bounds = ({ minimum, maximum }: JsonSchema): string => {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, ${minimum} or more`;
  return maximum === undefined ? '' : `, ${maximum} or less`;
};

const lengths = ({ pattern, minLength, maxLength }: JsonSchema): string => {
  if (typeof pattern === 'string') return ` like \`${pattern}\``;
  if (maxLength !== undefined) return ` of ${minLength ?? 0} to ${maxLength} characters`;
  return minLength === undefined ? '' : ', not empty';
};
