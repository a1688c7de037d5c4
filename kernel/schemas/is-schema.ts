import type { Schema } from '../../ports/schema.ts';

/** Returns whether a value is what `schema` returns. A foreign plugin in JavaScript may hold anything. */
export const isSchema = (value: unknown): value is Schema<unknown> => {
  const json: unknown = (value as Partial<Schema<unknown>> | null)?.json;
  return typeof json === 'object' && json !== null;
};
