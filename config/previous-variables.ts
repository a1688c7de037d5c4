import { type Schema, schema } from '../ports/ports.ts';

/** Prefix of the variables of the embedder. */
export const EMBEDDER_VARIABLES = 'SVC_EMBED_';
/** Prefix of those of the former embedder: `SVC_EMBED_PREVIOUS_URL` corresponds to `SVC_EMBED_URL`. */
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
