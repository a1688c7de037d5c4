import type { Ajv, ValidateFunction } from 'ajv';
import { type Schema, schema } from '../../ports/schema.ts';
import { type BootProblem, problemOf } from '../problems/boot-problem.ts';
import { createAjv } from '../schemas/ajv-on-demand.ts';
import { isSchema } from '../schemas/is-schema.ts';
import { requireValidSchema, UNCHECKED } from '../schemas/meta-schema.ts';
import { fillSettings } from './fill-settings.ts';
import { SETTING_FORMATS } from './setting-formats.ts';
import { movedSettings, type PropertySchema, type SettingProperty, settingProperties } from './setting-property.ts';

export interface CompiledSettings {
  /** Throws unless the schema is valid. */
  requireValid(): void;
  /** Returns the function that checks settings and fills in defaults in place. Compiles it at the first call. */
  validator(): ValidateFunction;
  /** Fills in defaults in place. Returns true when the settings then surely fit: see `fillSettings`. */
  fill(value: Record<string, unknown>): boolean;
  readonly properties: readonly SettingProperty[];
  /** The keys of moved settings, with their new places. */
  readonly moved: ReadonlyMap<string, string>;
}

/** The schema of a part of the node without settings. */
export const NO_SETTINGS = schema<Record<string, never>>({ type: 'object' });

/**
 * Compiles a settings schema once, for all nodes of a process. Returns undefined, and adds a problem, when it is not a
 * valid schema of an object. That shows only later for a schema of the package, which the tests of the package compile.
 */
export const compileSettings = (
  { json }: Schema<unknown>,
  { owner, isOfPackage }: { readonly owner: string; readonly isOfPackage?: boolean | undefined },
  problems: BootProblem[],
): CompiledSettings | undefined => {
  if (!isSchema({ json })) {
    const hint = "use the function: config: schema({ type: 'object', ... })";
    problems.push({ message: `the settings of ${owner} are described by something that is no schema`, hint });
    return undefined;
  }
  try {
    const compiled = compiledSchemas.get(json) ?? readSchema(json);
    if (isOfPackage !== true) compiled.requireValid();
    compiledSchemas.set(json, compiled);
    return compiled;
  } catch (error) {
    problems.push(problemOf(error, `the settings schema of ${owner} is not valid`));
    return undefined;
  }
};

const compiledSchemas = new WeakMap<object, CompiledSettings>();

const readSchema = (json: object): CompiledSettings => {
  const closed = close(json as PropertySchema);
  let validate: ValidateFunction | undefined;
  const validator = (): ValidateFunction => {
    validate ??= compileOnce(closed);
    return validate;
  };
  return {
    requireValid: () => {
      if (validate === undefined) requireValidSchema(closed);
      validator();
    },
    validator,
    fill: (value) => fillSettings(closed, value),
    properties: settingProperties(closed as Readonly<Record<string, unknown>>),
    moved: movedSettings(json as Readonly<Record<string, unknown>>),
  };
};

/** Compiles a schema without keeping it in the cache of Ajv, which never forgets. */
const compileOnce = (closed: object): ValidateFunction => {
  ajv ??= settingsAjv();
  try {
    return ajv.compile(closed);
  } finally {
    ajv.removeSchema(closed);
  }
};

let ajv: Ajv | undefined;

const settingsAjv = (): Ajv => {
  const ajv = createAjv({
    ...UNCHECKED,
    allErrors: true,
    useDefaults: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictRequired: false,
    // Settings are checked once a start, and optimising the generated code takes longer than the check.
    code: { optimize: false },
  });
  for (const keyword of ['env', 'dataPath']) ajv.addKeyword({ keyword, schemaType: 'string', valid: true });
  for (const [format, fits] of SETTING_FORMATS) ajv.addFormat(format, fits);
  return ajv;
};

/** Refuses undeclared settings unless the schema allows them, and gives a missing group its inner defaults. */
const close = (json: PropertySchema): PropertySchema => {
  if (json.properties === undefined && json.type !== 'object') return json;
  const properties = Object.entries(json.properties ?? {})
    .filter(([, property]) => property.movedTo === undefined)
    .map(([name, property]) => [name, closeMember(property)]);
  return { additionalProperties: false, ...json, properties: Object.fromEntries(properties) } as PropertySchema;
};

const closeMember = (property: PropertySchema): PropertySchema => {
  const { items } = property;
  if (items?.properties !== undefined) return { ...property, items: close(items) };
  if (property.properties === undefined) return property;
  // Adds no defaults to a group that a variable sets as a whole.
  return property.env === undefined ? { default: {}, ...close(property) } : close(property);
};
