import { dirname, resolve } from 'node:path';
import type { BootProblem } from '../kernel/boot/boot-problem.ts';
import type { Schema } from '../kernel/plugins/config-schema.ts';
import type { Environment } from '../kernel/plugins/environment-value.ts';
import { resolveSettings, type SettingReport, type Settings } from '../kernel/plugins/plugin-config.ts';
import { settingProperties } from '../kernel/plugins/setting-property.ts';
import { EMBEDDERS, STORES, TRANSPORTS } from './adapter-catalog.ts';
import { choosePlugins, type PluginChoice } from './choose-plugins.ts';
import { DEFAULT_CONFIG } from './default-config.ts';
import {
  type KoaSettings,
  type NodeSettings,
  nodeSettings,
  type PostgresSettings,
  type SqliteSettings,
} from './node-settings.ts';
import { type NodeConfigInput, readConfigFile } from './read-config-file.ts';

export interface NodeConfig {
  readonly node: NodeSettings;
  readonly store: StoreConfig;
  readonly transport: { readonly use: 'koa'; readonly settings: KoaSettings };
  readonly embedder: EmbedderConfig;
  readonly plugins: readonly PluginChoice[];
  /** Names of our own plugins that are switched off. */
  readonly disabled: readonly string[];
  readonly report: readonly SettingReport[];
  /** What each variable came out as, for plugins that read the same one. */
  readonly byVariable: ReadonlyMap<string, unknown>;
  /** What was found wrong. The other members then hold defaults in place of what was refused. */
  readonly problems: readonly BootProblem[];
  /** Folder that relative paths of the file start from. */
  readonly folder: string;
}

export type StoreConfig =
  | { readonly use: 'sqlite'; readonly settings: SqliteSettings }
  | { readonly use: 'postgres'; readonly settings: PostgresSettings };

/** The settings are those of the entry in the catalog, which alone knows their shape. */
export interface EmbedderConfig {
  readonly use: keyof typeof EMBEDDERS;
  readonly settings: unknown;
}

export interface ConfigSources {
  readonly configFile?: string | undefined;
  readonly env: Environment;
  readonly overrides?: NodeConfigInput | undefined;
  /** Names of plugins that the program brings as objects. */
  readonly given?: readonly string[];
}

/**
 * Reads and checks everything that an operator says, apart from the settings of plugins, whose schemas are not known
 * yet. Never throws: problems are gathered, so that they can be reported together with those of the plugins.
 */
export const loadNodeConfig = ({ configFile, env, overrides = {}, given = [] }: ConfigSources): NodeConfig => {
  const problems: BootProblem[] = [];
  const file = readConfigFile(configFile, problems);
  const report: SettingReport[] = [];
  const byVariable = new Map<string, unknown>();
  const settle = <T>(schema: Schema<T>, owner: string, given?: Settings, over?: Settings): T => {
    const sources = { owner, file: withoutUse(given), overrides: withoutUse(over), env };
    const resolved = resolveSettings(schema, sources, problems);
    report.push(...(resolved?.report ?? []));
    for (const [variable, value] of resolved?.byVariable ?? []) byVariable.set(variable, value);
    // Whatever stands in for refused settings is never used: the problem stops the start.
    return resolved?.value ?? defaultsOf(schema);
  };
  const choose = <K extends string>(slot: Slot, known: Readonly<Record<K, unknown>>, byVariable?: K): K => {
    const use = String(overrides.adapters?.[slot]?.['use'] ?? byVariable ?? usedByFile(file, slot));
    if (Object.hasOwn(known, use)) return use as K;
    const names = Object.keys(known).sort().join(', ');
    problems.push({ message: `adapters.${slot}.use accepts one of ${names}` });
    return Object.keys(known)[0] as K;
  };
  // Whoever names a database means it to be used.
  const store = choose('store', STORES, env['SVC_DATABASE_URL'] ? 'postgres' : undefined);
  const transport = choose('transport', TRANSPORTS);
  // Settings of another store than the one that was chosen say nothing about it.
  const storeOfFile = usedByFile(file, 'store') === store ? file.adapters?.store : undefined;
  const embedder = choose('embedder', EMBEDDERS, embedderByVariable(env));
  const embedderOfFile = usedByFile(file, 'embedder') === embedder ? file.adapters?.embedder : undefined;
  const config = {
    node: settle(nodeSettings, 'node', file.node, overrides.node),
    store: {
      use: store,
      settings: settle<unknown>(STORES[store].settings, 'adapters.store', storeOfFile, overrides.adapters?.store),
    } as StoreConfig,
    transport: {
      use: transport,
      settings: settle(
        TRANSPORTS[transport].settings,
        'adapters.transport',
        file.adapters?.transport,
        overrides.adapters?.transport,
      ),
    },
    embedder: {
      use: embedder,
      settings: settle<unknown>(
        EMBEDDERS[embedder].settings,
        'adapters.embedder',
        embedderOfFile,
        overrides.adapters?.embedder,
      ),
    },
    folder: configFile === undefined ? process.cwd() : dirname(resolve(configFile)),
  };
  return {
    ...config,
    ...choosePlugins({ file: file.plugins, overrides: overrides.plugins, given }, problems),
    report,
    byVariable,
    problems,
  };
};

type Slot = 'store' | 'transport' | 'embedder';

/** Whoever names an endpoint or a model means it to be used. */
const embedderByVariable = (env: Environment): keyof typeof EMBEDDERS | undefined => {
  if (env['SVC_EMBED_URL']) return 'http';
  return env['SVC_EMBED_MODEL_FOLDER'] ? 'local-model' : undefined;
};

const usedByFile = (file: NodeConfigInput, slot: Slot): unknown =>
  file.adapters?.[slot]?.['use'] ?? DEFAULT_CONFIG.adapters?.[slot]?.['use'];

const withoutUse = (settings: Settings | undefined): Settings | undefined => {
  if (settings === undefined) return undefined;
  const { use, ...rest } = settings;
  return rest;
};

/** What is required has no default, and is left out. */
const defaultsOf = <T>({ json }: Schema<T>): T =>
  Object.fromEntries(
    settingProperties(json).flatMap(({ path, schema }) =>
      schema.default === undefined ? [] : [[path[0], schema.default]],
    ),
  ) as T;
