import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { ServiceError } from '../../ports/ports.ts';
import type { Schema } from './config-schema.ts';
import { violationsOf } from './schema-violations.ts';

/**
 * Checks a value and fills in the defaults of its schema, in place. Throws `validation` with every violation (at most
 * `MAX_VIOLATIONS`), each naming a member under `root` (`body.value.v`) and never its value. NaN and the infinities are
 * no numbers. `status` is 422 unless given: what a query, a path or a header held is a 400.
 */
export type SchemaCheck<T> = (value: unknown, root: string, status?: number) => T;

/** Compiles a schema, once: call it where a plugin is set up, never per request. Throws for a schema that is none. */
export const compileSchema = <T>(schema: Schema<T>): SchemaCheck<T> => {
  const isValid = quickAjv().compile<T>(schema.json);
  return (value, root, status = 422) => {
    if (isValid(value)) return value;
    throw validationError(schema, value, isValid, root, status);
  };
};

const validationError = (
  schema: Schema<unknown>,
  value: unknown,
  isValid: ValidateFunction,
  root: string,
  status: number,
): ServiceError => {
  let errors = isValid.errors ?? [];
  if (isSmall(value)) {
    const check = thoroughAjv().compile(schema.json);
    if (!check(value)) errors = check.errors ?? errors;
  }
  const violations = violationsOf(errors, root);
  const [first] = violations;
  const detail = first === undefined ? `the ${root} is not valid` : `${first.path} ${first.message}`;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more, see errors)` : '';
  return new ServiceError('validation', detail + more, { status, violations });
};

/** `env` is ours: see `Schema`. Every other keyword that Ajv does not know is a mistake. */
const OPTIONS: Options = {
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  useDefaults: true,
  logger: false,
  keywords: ['env'],
};

const once = <T>(create: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= create();
    return made;
  };
};

const quickAjv = once(() => new Ajv(OPTIONS));
const thoroughAjv = once(() => new Ajv({ ...OPTIONS, allErrors: true, verbose: true }));

/**
 * Whether it is safe to ask for all errors: Ajv would make one per wrong element, and a hostile array has millions. The first
 * error alone is reported then.
 */
const isSmall = (value: unknown): boolean => countNodes(value, MAX_THOROUGH_NODES) > 0;

/** How many of `budget` are left after the nodes of a value, 0 when they do not suffice. */
const countNodes = (value: unknown, budget: number): number => {
  let left = budget - 1;
  if (typeof value !== 'object' || value === null) return left;
  for (const name in value) {
    if (left <= 0) return 0;
    left = countNodes((value as Readonly<Record<string, unknown>>)[name], left);
  }
  return Math.max(left, 0);
};

const MAX_THOROUGH_NODES = 2_000;
