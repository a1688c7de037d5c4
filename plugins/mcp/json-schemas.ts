import { fromJsonSchema } from '@modelcontextprotocol/server';
import { compileSchema } from '../../kernel/internal-api.ts';
import { ServiceError, schema } from '../../kernel/plugin-api.ts';
import type { JsonObject } from './refused-question.ts';
import { readSpelled } from './spelled-arguments.ts';

type StandardSchema = ReturnType<typeof fromJsonSchema<JsonObject>>;

/**
 * Returns a schema for arguments with the checks of request bodies. Undeclared members are refused with the nearest
 * known name, defaults are filled in, and no message repeats a value. Text that spells a value of the wanted type is
 * converted first.
 */
export const argumentsSchema = (json: JsonObject): StandardSchema => {
  const check = compileSchema(schema<JsonObject>(withoutUnions(json) as JsonObject));
  return fromJsonSchema(json, {
    getValidator: () => (input) => {
      try {
        return { valid: true, data: check(readSpelled(json, input), 'arguments') as never, errorMessage: undefined };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const problems = error.violations?.map(({ path, message }) => `${path} ${message}`) ?? [error.message];
        return { valid: false, data: undefined, errorMessage: problems.join('; ') };
      }
    },
  });
};

/** Removes unions, which the tools check themselves with more helpful messages. */
const withoutUnions = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(withoutUnions);
  if (typeof json !== 'object' || json === null) return json;
  if (Object.hasOwn(json, 'anyOf')) return {};
  return Object.fromEntries(Object.entries(json).map(([name, part]) => [name, withoutUnions(part)]));
};

/** Returns a schema without checks at run time: tests and clients check results, so a running node need not. */
export const resultSchema = (json: JsonObject): StandardSchema =>
  fromJsonSchema(json, {
    getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
  });
