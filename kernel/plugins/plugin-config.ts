import { join } from 'node:path';
import type { ErrorObject } from 'ajv';
import { maskUrlsIn } from '../../ports/ports.ts';
import type { Schema } from '../../ports/schema.ts';
import type { BootProblem } from '../problems/boot-problem.ts';
import { closestName } from '../text/closest-name.ts';
import { compileSettings, NO_SETTINGS } from './compile-settings.ts';
import { type Environment, givenText, parseEnvironmentValue } from './environment-value.ts';
import { acceptedBy, type SettingProperty } from './setting-property.ts';

export type Settings = Readonly<Record<string, unknown>>;

/**
 * The sources of settings, weakest first: the defaults of the schema, the data folder for paths (`dataPath`), the file,
 * the environment, the command.
 */
export interface SettingSources {
  /** The path to these settings in the file, for example `plugins.acme`. */
  readonly owner: string;
  /** True for a schema of the package, whose defaults need no check: the tests of the package check them. */
  readonly isOfPackage?: boolean | undefined;
  /** The folder for paths that no other source sets. */
  readonly dataFolder?: string | undefined;
  /**
   * Whether to put every such path into the data folder, regardless of other settings, for a node that must not touch
   * another node's files.
   */
  readonly usesOnlyDataFolder?: boolean | undefined;
  readonly file?: Settings | undefined;
  readonly env: Environment;
  /** Settings from the program that starts the node, for example from a flag. */
  readonly overrides?: Settings | undefined;
}

export type SettingOrigin = 'default' | 'derived' | 'file' | 'environment' | 'command';

/** The resulting value of one setting, for people. */
export interface SettingReport {
  readonly owner: string;
  /** The dotted key. */
  readonly key: string;
  readonly variable: string | undefined;
  readonly description: string;
  /** The accepted values, in words that complete "accepts ...". */
  readonly accepts: string;
  /** The default that the schema declares; undefined without one. */
  readonly default: unknown;
  /** The value. A secret is reported as `(set)` or `(not set)`, and a URL with its secrets masked. */
  readonly value: unknown;
  readonly origin: SettingOrigin;
}

export interface ResolvedSettings<T> {
  readonly value: T;
  readonly report: readonly SettingReport[];
}

/**
 * Checks settings against their schema, with defaults filled: environment before file before default. Unknown keys are
 * problems. Each problem names the key or the variable and the accepted values, never the value. Undefined when there
 * was any problem.
 */
export const resolveSettings = <T>(
  schema: Schema<T> | undefined,
  sources: SettingSources,
  problems: BootProblem[],
): ResolvedSettings<T> | undefined => {
  const compiled = compileSettings(schema ?? NO_SETTINGS, sources, problems);
  if (compiled === undefined) return undefined;
  const { validator, fill, properties, moved } = compiled;
  const { set, refused } = readEnvironment(properties, sources.env);
  const paths = pathsIn(properties, sources.dataFolder);
  const value: Record<string, unknown> = structuredClone({ ...sources.file });
  for (const { path, place } of paths) if (readAt(value, path) === undefined) writeAt(value, path, place);
  for (const { path, parsed } of set.values()) writeAt(value, path, parsed);
  Object.assign(value, structuredClone(sources.overrides ?? {}));
  if (sources.usesOnlyDataFolder === true) for (const { path, place } of paths) writeAt(value, path, place);

  const found = new Map<string, BootProblem>();
  for (const { path, schema } of refused)
    found.set(dotted(path), { message: `${schema.env} accepts ${acceptedBy(schema)}` });
  const fits = sources.isOfPackage === true && refused.length === 0 && fill(value);
  if (!fits && !validator()(value)) {
    for (const error of validator().errors ?? []) explain(error, { properties, moved, sources, set }, found);
  }
  problems.push(...found.values());
  if (found.size > 0) return undefined;
  return {
    value: value as T,
    report: properties.map((property) => reportOf(property, value, sources, set)),
  };
};

const pathsIn = (properties: readonly SettingProperty[], dataFolder: string | undefined) =>
  properties.flatMap(({ path, schema: { dataPath } }) =>
    dataPath === undefined || dataFolder === undefined ? [] : [{ path, place: join(dataFolder, dataPath) }],
  );

const dotted = (path: readonly string[]): string => path.join('.');

interface SetByVariable extends SettingProperty {
  readonly parsed: unknown;
}

const readEnvironment = (properties: readonly SettingProperty[], env: Environment) => {
  const set = new Map<string, SetByVariable>();
  const refused: SettingProperty[] = [];
  for (const property of properties) {
    const variable = property.schema.env;
    const text = variable === undefined ? undefined : givenText(env, variable);
    if (text === undefined) continue;
    const parsed = parseEnvironmentValue(text, property.schema);
    if (parsed === undefined) refused.push(property);
    else set.set(dotted(property.path), { ...property, parsed });
  }
  return { set, refused };
};

interface KnownSettings {
  readonly properties: readonly SettingProperty[];
  readonly moved: ReadonlyMap<string, string>;
  readonly sources: SettingSources;
  readonly set: ReadonlyMap<string, SetByVariable>;
}

/** Adds one problem per setting. A refused variable already has the problem of its setting. */
const explain = (error: ErrorObject, known: KnownSettings, found: Map<string, BootProblem>): void => {
  const params = error.params as { missingProperty?: string; additionalProperty?: string };
  const parent = error.instancePath.split('/').slice(1);
  const name = params.missingProperty ?? params.additionalProperty;
  const path = name === undefined ? parent : [...parent, name];
  const property = known.properties.find((candidate) => candidate.path.every((part, depth) => part === path[depth]));
  const key = dotted(property?.path ?? path);
  if (found.has(key)) return;
  const where = `${known.sources.owner}.${key}`;
  if (property === undefined) {
    found.set(
      key,
      params.additionalProperty === undefined
        ? { message: `${where} is not valid: it ${error.message}` }
        : unknownSetting(where, path, known),
    );
    return;
  }
  if (params.additionalProperty !== undefined && path.length > property.path.length) {
    found.set(key, { message: `${known.sources.owner}.${dotted(path)} is not a setting` });
    return;
  }
  const { env } = property.schema;
  const accepted = acceptedBy(property.schema);
  if (known.set.has(key)) found.set(key, { message: `${env} accepts ${accepted}` });
  else if (error.keyword !== 'required') found.set(key, { message: `${where} accepts ${accepted}` });
  else
    found.set(key, {
      message: `${where} is required: ${accepted}`,
      ...(env === undefined ? {} : { hint: `set it in the file or through ${env}` }),
    });
};

const unknownSetting = (where: string, path: readonly string[], { properties, moved }: KnownSettings): BootProblem => {
  const place = moved.get(dotted(path));
  if (place !== undefined) return { message: `${where} is now ${place}`, hint: `write it as ${place}` };
  const siblings = properties.map((property) => dotted(property.path));
  const near = closestName(dotted(path), siblings);
  const hint =
    near !== undefined
      ? `did you mean ${near}?`
      : siblings.length === 0
        ? 'it takes no settings'
        : `it takes ${siblings.join(', ')}`;
  return { message: `${where} is not a setting`, hint };
};

const reportOf = (
  { path, schema }: SettingProperty,
  value: Settings,
  sources: SettingSources,
  set: ReadonlyMap<string, SetByVariable>,
): SettingReport => {
  const found = readAt(value, path);
  const top = path[0] ?? '';
  const origin: SettingOrigin =
    sources.overrides !== undefined && top in sources.overrides
      ? 'command'
      : set.has(dotted(path))
        ? 'environment'
        : readAt(sources.file ?? {}, path) !== undefined
          ? 'file'
          : schema.dataPath !== undefined && found !== undefined
            ? 'derived'
            : 'default';
  return {
    owner: sources.owner,
    key: dotted(path),
    variable: schema.env,
    description: schema.description ?? '',
    // The description is shown beside it.
    accepts: acceptedBy({ ...schema, description: undefined }),
    default: schema.default,
    value: shownValue(found, schema),
    origin,
  };
};

const shownValue = (value: unknown, { writeOnly }: SettingProperty['schema']): unknown => {
  if (writeOnly !== true) return maskUrlsIn(value);
  return value === undefined || value === '' ? '(not set)' : '(set)';
};

const readAt = (value: Settings, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, part) => (isPlain(at) ? at[part] : undefined), value);

const writeAt = (value: Record<string, unknown>, path: readonly string[], leaf: unknown): void => {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) {
    value[head] = leaf;
    return;
  }
  const group = isPlain(value[head]) ? value[head] : {};
  value[head] = group;
  writeAt(group, rest, leaf);
};

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
