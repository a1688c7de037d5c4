import { dirname, resolve } from 'node:path';
import type { Environment } from '../kernel/plugins/environment-value.ts';
import { resolveSettings, type SettingReport, type Settings } from '../kernel/plugins/plugin-config.ts';
import { settingProperties } from '../kernel/plugins/setting-property.ts';
import type { BootProblem } from '../kernel/problems/boot-problem.ts';
import type { Schema } from '../ports/ports.ts';
import { type ChosenAdapters, chooseAdapters, type SettledPart } from './choose-adapters.ts';
import { choosePlugins, type PluginChoice } from './choose-plugins.ts';
import { type NodeSettings, nodeSettings } from './node-settings.ts';
import { type NodeConfigInput, readConfigFile } from './read-config-file.ts';

export interface NodeConfig extends ChosenAdapters {
  readonly node: NodeSettings;
  readonly plugins: readonly PluginChoice[];
  /** The names of disabled plugins of the package. */
  readonly disabled: readonly string[];
  readonly report: readonly SettingReport[];
  /** The problems found. Other members contain defaults in place of refused settings. */
  readonly problems: readonly BootProblem[];
  /** The folder to which paths of the file are relative. */
  readonly folder: string;
}

export interface ConfigSources {
  readonly configFile?: string | undefined;
  readonly env: Environment;
  readonly overrides?: NodeConfigInput | undefined;
  /** The names of plugins that the program passes as objects. */
  readonly given?: readonly string[];
}

/**
 * Reads and checks the whole configuration, apart from the settings of plugins, whose schemas are not known yet.
 * Imports third-party adapters. Never rejects: problems are collected, so that they can be reported together with those
 * of the plugins.
 */
export const loadNodeConfig = async (sources: ConfigSources): Promise<NodeConfig> => {
  const { configFile, env, overrides = {}, given = [] } = sources;
  const problems: BootProblem[] = [];
  const file = readConfigFile(configFile, problems);
  const report: SettingReport[] = [];
  const folder = configFile === undefined ? process.cwd() : dirname(resolve(configFile));
  const settle = <T>(schema: Schema<T>, part: SettledPart, given?: Settings, over?: Settings): T => {
    const resolved = resolveSettings(schema, { ...part, file: given, overrides: over, env }, problems);
    report.push(...(resolved?.report ?? []));
    // The default is never used, because the problem stops the start.
    return resolved?.value ?? defaultsOf(schema);
  };
  const declared = settle(nodeSettings, { owner: 'node', isOfPackage: true }, file.node, overrides.node);
  const adapters = await chooseAdapters({ file, overrides, env, folder, settle }, problems);
  const node = { ...declared, url: withChosenPort(declared.url, adapters.transport.settings, report) };
  const plugins = choosePlugins({ file: file.plugins, overrides: overrides.plugins, given }, problems);
  return { node, ...adapters, ...plugins, report, problems, folder };
};

/** Returns the advertised address: without one from the operator, the default with the port of the transport. */
const withChosenPort = (url: string, transport: unknown, report: SettingReport[]): string => {
  const place = report.findIndex(({ owner, key }) => owner === 'node' && key === 'url');
  const shown = report[place];
  const { port } = transport as { readonly port?: unknown };
  if (shown?.origin !== 'default' || typeof port !== 'number' || port === 0) return url;
  const derived = Object.assign(new URL(url), { port }).origin;
  if (derived !== url) report[place] = { ...shown, value: derived, origin: 'derived' };
  return derived;
};

/** Returns the defaults of a schema. Required settings have none, and are omitted. */
const defaultsOf = <T>({ json }: Schema<T>): T =>
  Object.fromEntries(
    settingProperties(json).flatMap(({ path, schema }) =>
      schema.default === undefined ? [] : [[path[0], schema.default]],
    ),
  ) as T;
