import type { JsonSchema } from '../../kernel/plugin-api.ts';

/** The members that a schema lists for an object, by name. */
export const membersOf = (schema: JsonSchema): Readonly<Record<string, JsonSchema>> =>
  (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
