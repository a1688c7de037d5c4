import { acceptedBy, settingProperties } from '../kernel/plugins/setting-property.ts';
import type { Schema } from '../ports/schema.ts';
import {
  type Catalog,
  CLOCKS,
  EMBEDDERS,
  KEY_SOURCES,
  PREVIOUS_EMBEDDERS,
  STORES,
  TRANSPORTS,
} from './adapter-catalog.ts';
import { nodeSettings } from './node-settings.ts';
import { PLUGIN_ALTERNATIVES, PLUGIN_CATALOG } from './plugin-catalog.ts';

/** One setting as its schema declares it. */
export interface DeclaredSetting {
  /** The key in the configuration file, for example `plugins.keys.maxAgeDays`. */
  readonly key: string;
  /** The environment variable that sets it. */
  readonly variable: string | undefined;
  /** The default as JSON, or as a place in the data folder; undefined without one. */
  readonly default: string | undefined;
  readonly accepts: string;
  readonly description: string;
}

/** Every setting of the node, its adapters and our plugins, enabled or not. Imports them all. */
export const declaredSettings = async (): Promise<DeclaredSetting[]> => {
  const plugins = await Promise.all(
    Object.entries({ ...PLUGIN_CATALOG, ...PLUGIN_ALTERNATIVES }).map(
      async ([name, load]) => [`plugins.${name}`, (await load()).config] as const,
    ),
  );
  const owners: readonly (readonly [string, Schema<unknown> | undefined])[] = [
    ['node', nodeSettings],
    ...settingsIn('store', STORES),
    ...settingsIn('transport', TRANSPORTS),
    ...settingsIn('embedder', EMBEDDERS),
    ...settingsIn('previousEmbedder', PREVIOUS_EMBEDDERS),
    ...settingsIn('clock', CLOCKS),
    ...settingsIn('keySource', KEY_SOURCES),
    ...plugins,
  ];
  return owners.flatMap(([owner, schema]) => settingsOf(owner, schema));
};

const settingsIn = (slot: string, catalog: Catalog<{ readonly settings?: Schema<unknown> }>) =>
  Object.values(catalog).map(({ settings }) => [`adapters.${slot}`, settings] as const);

export const settingsOf = (owner: string, schema: Schema<unknown> | undefined): DeclaredSetting[] =>
  settingProperties(schema?.json ?? {}).map(({ path, schema: property }) => ({
    key: `${owner}.${path.join('.')}`,
    variable: property.env,
    default: property.dataPath === undefined ? jsonOf(property.default) : `<data folder>/${property.dataPath}`,
    // Leaves out the description, which has a column of its own.
    accepts: acceptedBy({ ...property, description: undefined }),
    description: property.description ?? '',
  }));

const jsonOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value));

/** Returns one line of the table in docs/reference/settings.md. */
export const settingRow = (setting: DeclaredSetting): string => {
  const code = (text: string | undefined): string => (text === undefined ? '' : `\`${text.replaceAll('|', '\\|')}\``);
  const accepts = setting.accepts.replaceAll('|', '\\|');
  return `| ${code(setting.key)} | ${code(setting.variable)} | ${code(setting.default)} | ${accepts} | ${setting.description} |`;
};
