import { type Schema, schema } from '../ports/ports.ts';

/** The prefix of the embedder's variables. */
export const EMBEDDER_VARIABLES = 'SVC_EMBED_';
/** The prefix of the former embedder's variables: `SVC_EMBED_PREVIOUS_URL` corresponds to `SVC_EMBED_URL`. */
export const PREVIOUS_VARIABLES = 'SVC_EMBED_PREVIOUS_';

/** Returns the schema with the variables of the former embedder. */
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
