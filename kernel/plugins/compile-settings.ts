import type { Ajv, ValidateFunction } from 'ajv';
import { type Schema, schema } from '../../ports/schema.ts';
import { parseNetwork } from '../net/ip-network.ts';
import { type BootProblem, problemOf } from '../problems/boot-problem.ts';
import { createAjv } from '../schemas/ajv-on-demand.ts';
import { isSchema } from '../schemas/is-schema.ts';
import { requireValidSchema, UNCHECKED } from '../schemas/meta-schema.ts';
import { movedSettings, type PropertySchema, type SettingProperty, settingProperties } from './setting-property.ts';

export interface CompiledSettings {
  /** Throws unless the schema is valid. */
  requireValid(): void;
  /** Returns the function that checks settings and fills in defaults in place. Compiles it at the first call. */
  validator(): ValidateFunction;
  /** Fills in defaults in place. Returns false when a required setting without a default is missing. */
  fillDefaults(value: Record<string, unknown>): boolean;
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
    fillDefaults: (value) => fillDefaults(closed, value),
    properties: settingProperties(closed as Readonly<Record<string, unknown>>),
    moved: movedSettings(json as Readonly<Record<string, unknown>>),
  };
};

/** Fills in defaults as Ajv does. Loading Ajv alone would take longer than this. */
const fillDefaults = ({ properties = {}, required = [] }: PropertySchema, value: Record<string, unknown>): boolean => {
  for (const [name, property] of Object.entries(properties)) {
    if (property.default !== undefined) value[name] ??= structuredClone(property.default);
    const inner = value[name];
    if (property.properties === undefined || typeof inner !== 'object' || inner === null) continue;
    if (!fillDefaults(property, inner as Record<string, unknown>)) return false;
  }
  return required.every((name) => value[name] !== undefined);
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
  ajv.addFormat('uri', (text) => URL.canParse(text));
  ajv.addFormat('http-url', isHttpUrl);
  ajv.addFormat('base-url', (text) => isHttpUrl(text) && !/[?#]/.test(text));
  ajv.addFormat('origin', isOrigin);
  ajv.addFormat('ip-network', (text) => parseNetwork(text) !== undefined);
  return ajv;
};

/** Returns whether a text is an http URL without user and password, which would appear wherever the URL does. */
const isHttpUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
};

/**
 * Returns whether a text is an origin (RFC 6454) of any scheme, even that of an application or a browser extension. A
 * path, a wildcard and `null` are not.
 */
const isOrigin = (text: string): boolean => ORIGIN.test(text) && Number(/:(\d+)$/.exec(text)?.[1] ?? 0) <= MOST_PORT;

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(?::\d{1,5})?$/i;
const MOST_PORT = 65_535;

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
