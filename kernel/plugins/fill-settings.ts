import { fitsFormat } from './setting-formats.ts';
import { type PropertySchema, typesOf } from './setting-property.ts';

/**
 * Fills in defaults in place, as Ajv does. Returns true when the settings then surely fit their schema, so that Ajv
 * need not load, which takes a tenth of a start. Returns false when only Ajv can tell. Trusts the defaults of the
 * schema.
 */
export const fillSettings = (
  { properties = {}, required = [], ...others }: PropertySchema,
  value: Record<string, unknown>,
): boolean => {
  if (!Object.keys(others).every((keyword) => GROUP_KEYWORDS.has(keyword))) return false;
  if (!Object.keys(value).every((name) => Object.hasOwn(properties, name))) return false;
  for (const [name, property] of Object.entries(properties)) {
    const isGiven = value[name] !== undefined;
    if (!isGiven && property.default !== undefined) value[name] = structuredClone(property.default);
    const inner = value[name];
    if (inner === undefined) continue;
    if (property.properties === undefined ? isGiven && !surelyFits(property, inner) : !fillGroup(property, inner))
      return false;
  }
  return required.every((name) => value[name] !== undefined);
};

const GROUP_KEYWORDS = new Set(['type', 'additionalProperties', 'default', 'description', 'env']);

const fillGroup = (group: PropertySchema, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  fillSettings(group, value as Record<string, unknown>);

/** Returns whether one text, number or truth value surely fits. */
const surelyFits = (property: PropertySchema, value: unknown): boolean =>
  Object.keys(property).every((keyword) => VALUE_KEYWORDS.has(keyword)) &&
  typesOf(property).some((type) => isOfType(value, type)) &&
  (property.enum?.includes(value) ?? true) &&
  (typeof value === 'string' ? fitsText(property, value) : fitsNumber(property, Number(value)));

const VALUE_KEYWORDS = new Set([
  ...['type', 'enum', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'format'],
  ...['default', 'description', 'env', 'dataPath', 'writeOnly'],
]);

const isOfType = (value: unknown, type: string): boolean =>
  type === 'integer' ? Number.isInteger(value) : type === 'number' ? Number.isFinite(value) : isPlain(value, type);

const isPlain = (value: unknown, type: string): boolean =>
  (type === 'string' || type === 'boolean') && typeof value === type;

const fitsText = ({ minLength = 0, maxLength, pattern, format }: PropertySchema, text: string): boolean => {
  const { length } = [...text];
  return (
    length >= minLength &&
    length <= (maxLength ?? length) &&
    (pattern === undefined || new RegExp(pattern, 'u').test(text)) &&
    (format === undefined || fitsFormat(format, text))
  );
};

const fitsNumber = ({ minimum, maximum }: PropertySchema, value: number): boolean =>
  value >= (minimum ?? value) && value <= (maximum ?? value);
