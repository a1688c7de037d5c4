import type { JsonSchema } from '../../kernel/plugin-api.ts';

const NONE: Readonly<Record<string, JsonSchema>> = Object.freeze({});

/** The members that a schema lists for an object, by name. */
export const membersOf = (schema: JsonSchema): Readonly<Record<string, JsonSchema>> =>
  (schema['properties'] as Readonly<Record<string, JsonSchema>> | undefined) ?? NONE;
