import { fromJsonSchema } from '@modelcontextprotocol/server';
import { compileSchema } from '../../kernel/internal-api.ts';
import { ServiceError, schema } from '../../kernel/plugin-api.ts';
import type { JsonObject } from './refused-question.ts';

type StandardSchema = ReturnType<typeof fromJsonSchema<JsonObject>>;

/**
 * A schema for arguments, with the checks of request bodies: undeclared members are refused with the nearest known
 * name, defaults are filled in, and no message repeats a value.
 */
export const argumentsSchema = (json: JsonObject): StandardSchema => {
  const check = compileSchema(schema<JsonObject>(json));
  return fromJsonSchema(json, {
    getValidator: () => (input) => {
      try {
        return { valid: true, data: check(input, 'arguments') as never, errorMessage: undefined };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        const problems = error.violations?.map(({ path, message }) => `${path} ${message}`) ?? [error.message];
        return { valid: false, data: undefined, errorMessage: problems.join('; ') };
      }
    },
  });
};

/** A schema without run-time checks: tests and clients check results, a running node need not. */
export const resultSchema = (json: JsonObject): StandardSchema =>
  fromJsonSchema(json, {
    getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
  });
