import type { JsonSchema } from '../../kernel/plugin-api.ts';

/**
 * The schema of a body with what the node holds every body to: an object that lists its members takes no others, unless
 * it says so. What stands behind a choice is left as it is, as the node leaves it.
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
