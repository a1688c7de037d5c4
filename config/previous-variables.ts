import { type Schema, schema } from '../ports/ports.ts';

/** How the variables of the embedder begin. */
export const EMBEDDER_VARIABLES = 'SVC_EMBED_';
/**
 * How those of the embedder before begin: `SVC_EMBED_PREVIOUS_URL` says of it what `SVC_EMBED_URL` says of the other.
 */
export const PREVIOUS_VARIABLES = 'SVC_EMBED_PREVIOUS_';

/** The same settings, set by variables of their own. */
export const previousSettings = <T>(settings: Schema<T>): Schema<T> => {
  const properties = (settings.json['properties'] ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  const renamed = Object.entries(properties).map(([name, property]) => [name, withVariable(property)]);
  return schema<T>({ ...settings.json, properties: Object.fromEntries(renamed) });
};

const withVariable = (property: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const { env, description, ...rest } = property;
  if (typeof env !== 'string') return property;
  const variable = env.replace(EMBEDDER_VARIABLES, PREVIOUS_VARIABLES);
  return { ...rest, env: variable, description: `the embedder before: ${String(description ?? '')}` };
};
