import { type PropertySchema, typesOf } from './setting-property.ts';

/** The environment variables of the process. The node reads only variables that a schema in use declares. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the text of a variable. An empty one counts as unset, because compose files and shells express "nothing" that
 * way. A shell that reads a file with Windows line ends leaves a carriage return at the end of each value.
 */
export const givenText = (env: Environment, name: string): string | undefined =>
  env[name]?.replace(/\r$/, '') || undefined;

const TRUTH: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };
const INTEGER = /^[+-]?\d{1,15}$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Parses the text of a variable by the property's type; undefined for an invalid text. Of several types, the first
 * valid one wins, with text last.
 */
export const parseEnvironmentValue = (text: string, schema: PropertySchema): unknown => {
  const types = typesOf(schema);
  const strictest = types.filter((type) => type !== 'string');
  for (const type of strictest) {
    const value = parseAs(type, text.trim(), schema);
    if (value !== undefined) return value;
  }
  return types.length === 0 || types.includes('string') ? text : undefined;
};

const parseAs = (type: string, text: string, schema: PropertySchema): unknown => {
  switch (type) {
    case 'boolean':
      return TRUTH[text.toLowerCase()];
    case 'integer':
      return INTEGER.test(text) ? Number(text) : undefined;
    case 'number':
      return NUMBER.test(text) ? Number(text) : undefined;
    case 'array':
      return parseList(text, schema.items ?? { type: 'string' });
    case 'object':
      return parseObject(text);
    default:
      return undefined;
  }
};

/** Parses a list separated by commas or spaces. */
const parseList = (text: string, items: PropertySchema): unknown => {
  const values = text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => parseEnvironmentValue(part, items));
  return values.includes(undefined) ? undefined : values;
};

const parseObject = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
