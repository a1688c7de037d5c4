import { createHash } from 'node:crypto';
import type { Ajv, Options, ValidateFunction } from 'ajv';
import type { Violation } from '../../ports/ports.ts';
import type { Schema } from '../../ports/schema.ts';
import { MAX_VIOLATIONS, refuseAll } from '../problems/refusals.ts';
import { createAjv } from './ajv-on-demand.ts';
import { compileDeclared, type ListUndeclared } from './declared-members.ts';
import { requireValidSchema, UNCHECKED } from './meta-schema.ts';
import { violationsOf } from './schema-violations.ts';

/**
 * Checks a value and fills in the defaults of its schema, in place. Throws `validation` with every violation (at most
 * `MAX_VIOLATIONS`), each naming a member under `root` (`body.value.v`) and never its value. An undeclared member is a
 * violation, and null for an optional member counts as absent: see `compileDeclared`. NaN and the infinities are no
 * numbers. `status` is 422 unless given; use 400 for a query, a path or a header.
 */
export type SchemaCheck<T> = (value: unknown, root: string, status?: number) => T;

/**
 * Makes the check of a schema: call it where a plugin is set up, never per request. The first check compiles the
 * schema, because compiling all schemas takes a fifth of a start. `requireCompilable` finds an invalid schema before.
 */
export const compileSchema = <T>(schema: Schema<T>): SchemaCheck<T> => {
  let compiled: { readonly isValid: ValidateFunction<T>; readonly undeclaredIn: ListUndeclared } | undefined;
  return (value, root, status = 422) => {
    compiled ??= {
      isValid: compileQuick(schema.json) as ValidateFunction<T>,
      undeclaredIn: compileDeclared(schema),
    };
    const { isValid, undeclaredIn } = compiled;
    const undeclared = undeclaredIn(value, root);
    // Stops at this number, because one answer names no more and the value may be huge.
    if (undeclared.length >= MAX_VIOLATIONS) throw refuseAll(undeclared, { status });
    if (isValid(value) && undeclared.length === 0) return value;
    throw refuseAll([...undeclared, ...violationsIn(schema, value, isValid, root)], { status });
  };
};

/** Throws unless a schema is valid and compiles. For schemas that no test of the package has seen. */
export const requireCompilable = ({ json }: Schema<unknown>): void => {
  requireValidSchema(json);
  compileQuick(json);
};

const violationsIn = (
  schema: Schema<unknown>,
  value: unknown,
  isValid: ValidateFunction,
  root: string,
): readonly Violation[] => {
  let errors = isValid.errors ?? [];
  if (errors.length > 0 && isSmall(value)) {
    const check = compileThorough(schema.json);
    if (!check(value)) errors = check.errors ?? errors;
  }
  return violationsOf(errors, root);
};

/**
 * Allows the keyword `env`, which the node itself reads: see `Schema`. Any other keyword unknown to Ajv is a mistake.
 */
const OPTIONS: Options = {
  ...UNCHECKED,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  useDefaults: true,
  logger: false,
  keywords: ['env'],
  // Optimising the generated code takes 40 % of compiling, and the compiler of V8 does it again.
  code: { optimize: false },
};

/** Compiles each schema once per process, even when the plugins of several nodes create it again. */
const createCompiler = (options: Options): ((json: object) => ValidateFunction) => {
  const compiled = new Map<string, ValidateFunction>();
  let ajv: Ajv | undefined;
  return (json) => {
    const text = createHash('sha256').update(JSON.stringify(json)).digest('base64');
    ajv ??= createAjv(options);
    const known = compiled.get(text);
    if (known !== undefined) return known;
    const made = ajv.compile(json);
    compiled.set(text, made);
    return made;
  };
};

const compileQuick = createCompiler(OPTIONS);
const compileThorough = createCompiler({ ...OPTIONS, allErrors: true, verbose: true });

/**
 * Returns whether collecting all errors is safe. Ajv makes an error per wrong element, and a hostile array has
 * millions. Otherwise only the first error is reported.
 */
const isSmall = (value: unknown): boolean => countNodes(value, MAX_THOROUGH_NODES) > 0;

/** Counts the nodes of a value, and returns the rest of `budget`; 0 when it is exceeded. */
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
