import { parseStrictJsonText, spelledNumber } from '../../kernel/internal-api.ts';
import type { JsonObject } from './refused-question.ts';

/**
 * Converts texts where a schema requires another type, because some clients send every argument as text. Converts only
 * text that spells exactly one value of the type: `"5"`, `"true"`, `"[\"a\"]"`. All other text stays unchanged and is
 * refused by the check. Text also stays text if the schema allows text, or is a union.
 */
export const readSpelled = (schema: JsonObject, input: unknown): unknown => {
  const { type, properties = {}, items } = schema as ReadableSchema;
  const value = typeof input === 'string' ? spelled(type, input) : input;
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => readSpelled(items, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, known === undefined ? member : readSpelled(known, member)];
    }),
  );
};

interface ReadableSchema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, JsonObject>>;
  readonly items?: JsonObject;
}

const spelled = (type: unknown, text: string): unknown => {
  switch (type) {
    case 'number':
    case 'integer':
      return spelledNumber(text.trim()) ?? text;
    case 'boolean':
      return /^(?:true|false)$/i.test(text.trim()) ? text.trim().toLowerCase() === 'true' : text;
    case 'array':
      return jsonOf(text, Array.isArray);
    case 'object':
      return jsonOf(text, (value) => typeof value === 'object' && value !== null && !Array.isArray(value));
    default:
      return text;
  }
};

const jsonOf = (text: string, fits: (value: unknown) => boolean): unknown => {
  try {
    const value = parseStrictJsonText(text, 'text');
    return fits(value) ? value : text;
  } catch {
    return text;
  }
};
