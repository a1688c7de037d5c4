import { Ajv, type ValidateFunction } from 'ajv';
import { type Schema, schema } from '../../ports/schema.ts';
import { parseNetwork } from '../net/ip-network.ts';
import { type BootProblem, problemOf } from '../problems/boot-problem.ts';
import { requireValidSchema, UNCHECKED } from '../schemas/meta-schema.ts';
import { movedSettings, type PropertySchema, type SettingProperty, settingProperties } from './setting-property.ts';

export interface CompiledSettings {
  /** Checks settings, and fills in defaults in place. */
  readonly validate: ValidateFunction;
  readonly properties: readonly SettingProperty[];
  /** The keys of moved settings, with their new places. */
  readonly moved: ReadonlyMap<string, string>;
}

/** The schema of a part of the node without settings. */
export const NO_SETTINGS = schema<Record<string, never>>({ type: 'object' });

/**
 * Compiles a settings schema once, for all nodes of a process. Returns undefined, and adds a problem, when it is not a
 * valid schema of an object.
 */
export const compileSettings = (
  { json }: Schema<unknown>,
  owner: string,
  problems: BootProblem[],
): CompiledSettings | undefined => {
  try {
    const known = compiledSchemas.get(json);
    if (known !== undefined) return known;
    const closed = close(json as PropertySchema) as Readonly<Record<string, unknown>>;
    const compiled = {
      validate: compileOnce(closed),
      properties: settingProperties(closed),
      moved: movedSettings(json),
    };
    compiledSchemas.set(json, compiled);
    return compiled;
  } catch (error) {
    problems.push(problemOf(error, `the settings schema of ${owner} is not valid`));
    return undefined;
  }
};

const compiledSchemas = new WeakMap<object, CompiledSettings>();

/** Compiles a schema, which the instance of Ajv then forgets. */
const compileOnce = (closed: object): ValidateFunction => {
  requireValidSchema(closed);
  ajv ??= createAjv();
  try {
    return ajv.compile(closed);
  } finally {
    ajv.removeSchema(closed);
  }
};

let ajv: Ajv | undefined;

const createAjv = (): Ajv => {
  const ajv = new Ajv({
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
