import type { HookDescription } from '../hooks/hook-bus.ts';
import type { OwnedRoute } from '../http/route-table.ts';
import { tablePrefix } from '../plugins/check-plugin.ts';
import { requirementsOf } from '../plugins/order-plugins.ts';
import { CORE_OWNER } from '../plugins/plan-migrations.ts';
import type { SettingReport } from '../plugins/plugin-config.ts';
import type { AnyPlugin } from '../plugins/plugin-definition.ts';
import type { Access } from '../plugins/route-definition.ts';
import type { PlannedPlugin } from './plan-boot.ts';

/** What a plugin says of itself. */
export interface PluginSummary {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  /** Ids of refs; an optional one ends with a question mark. */
  readonly requires: readonly string[];
  readonly provides: readonly string[];
}

/** Everything a booted node consists of, for people. Holds no secret. */
export interface KernelDescription {
  /** In the order of setup. */
  readonly plugins: readonly PluginSummary[];
  /** By path, then method. */
  readonly routes: readonly {
    readonly method: string;
    readonly path: string;
    /** `open`, `peer`, or what a key needs. */
    readonly access: string;
    readonly plugin: string;
    readonly summary: string;
  }[];
  readonly hooks: readonly HookDescription[];
  /** By name; `plugin` is `core` for those of the store itself. */
  readonly tables: readonly { readonly name: string; readonly plugin: string }[];
  readonly settings: readonly SettingReport[];
}

export const describeKernel = (parts: {
  readonly plugins: readonly PlannedPlugin[];
  readonly routes: readonly OwnedRoute[];
  readonly hooks: readonly HookDescription[];
  readonly tables: readonly string[];
  readonly settings: readonly SettingReport[];
}): KernelDescription => ({
  plugins: parts.plugins.map(({ plugin }) => summarisePlugin(plugin)),
  routes: parts.routes
    .map(({ route, plugin }) => ({
      method: route.method,
      path: route.path,
      access: accessText(route.access),
      plugin,
      summary: route.summary,
    }))
    .sort((a, b) => (`${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1)),
  hooks: parts.hooks,
  tables: parts.tables.map((name) => ({ name, plugin: tableOwner(name, parts.plugins) })),
  settings: parts.settings,
});

export const summarisePlugin = (plugin: AnyPlugin): PluginSummary => ({
  name: plugin.name,
  version: plugin.version,
  summary: plugin.summary ?? '',
  requires: requirementsOf(plugin).map(({ ref, optional }) => (optional ? `${ref.id}?` : ref.id)),
  provides: (plugin.provides ?? []).map(({ id }) => id),
});

const accessText = (access: Access): string => {
  if (typeof access === 'string') return access;
  const { permission } = access;
  return typeof permission === 'string' ? (permission === 'any' ? 'any key' : permission) : permission.join(' or ');
};

/** The table of a plugin that is switched off keeps its name but has no owner here; it counts as the store's. */
const tableOwner = (table: string, plugins: readonly PlannedPlugin[]): string =>
  plugins.find(({ plugin }) => table.startsWith(tablePrefix(plugin.name)))?.plugin.name ?? CORE_OWNER;
