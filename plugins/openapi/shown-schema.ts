import type { JsonSchema } from '../../kernel/plugin-api.ts';

/**
 * Returns the schema of a body with the rule for all bodies: an object that lists its members accepts no others by
 * default. Alternatives stay as they are, because the node does not close them.
 */
export const closedSchema = (schema: JsonSchema): JsonSchema => {
  const { properties, items, additionalProperties } = schema;
  const closed: Record<string, unknown> = { ...schema };
  if (isSchema(properties)) {
    closed['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, isSchema(member) ? closedSchema(member) : member]),
    );
    if (additionalProperties === undefined) closed['additionalProperties'] = false;
  }
  if (isSchema(items)) closed['items'] = closedSchema(items);
  if (isSchema(additionalProperties)) closed['additionalProperties'] = closedSchema(additionalProperties);
  return closed;
};

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
