import { singleCommands } from '../commands/command-definition.ts';
import type { HookDescription } from '../hooks/hook-bus.ts';
import { type Access, permissionsOf } from '../http/route-definition.ts';
import type { OwnedRoute } from '../http/route-table.ts';
import { tablePrefix } from '../plugins/check-plugin.ts';
import { requirementsOf } from '../plugins/order-plugins.ts';
import { CORE_OWNER } from '../plugins/plan-migrations.ts';
import type { SettingReport } from '../plugins/plugin-config.ts';
import type { AnyPlugin } from '../plugins/plugin-definition.ts';
import { collectComponents } from '../vocabulary/components.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import type {
  DescribedCommand,
  DescribedNode,
  DescribedPlugin,
  DescribedRoute,
  DescribedTask,
} from './node-description.ts';

export interface NodeParts {
  readonly enabled: readonly AnyPlugin[];
  readonly switchedOff: readonly AnyPlugin[];
  readonly vocabulary: Vocabulary;
  readonly routes: readonly OwnedRoute[];
  readonly hooks: readonly HookDescription[];
  /** Names of all tables in the store. */
  readonly tables: readonly string[];
  readonly settings: readonly SettingReport[];
  readonly tasks: readonly DescribedTask[];
}

export const describeNode = (parts: NodeParts): DescribedNode => {
  const { enabled, switchedOff, vocabulary, routes, hooks, tables, settings, tasks } = parts;
  return {
    plugins: [
      ...enabled.map((plugin) => describePlugin(plugin, true)),
      ...switchedOff.map((plugin) => describePlugin(plugin, false)),
    ],
    commands: enabled.flatMap(describeCommands),
    words: vocabulary.all(),
    components: collectComponents(vocabulary),
    routes: routes.map(describeRoute).sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
    hooks,
    tables: tables.map((name) => ({ name, plugin: tableOwner(name, enabled) })),
    settings,
    tasks,
  };
};

const describePlugin = (plugin: AnyPlugin, enabled: boolean): DescribedPlugin => ({
  name: plugin.name,
  enabled,
  version: plugin.version,
  summary: plugin.summary ?? '',
  requires: requirementsOf(plugin).map(({ ref, optional }) => (optional ? `${ref.id}?` : ref.id)),
  provides: (plugin.provides ?? []).map(({ id }) => id),
});

const describeCommands = (plugin: AnyPlugin): DescribedCommand[] =>
  singleCommands(plugin.commands ?? []).map(({ name, command }) => ({
    plugin: plugin.name,
    name,
    summary: command.summary,
    description: command.description ?? '',
    needs: command.needs,
    arguments: command.arguments ?? {},
    options: command.options ?? {},
    examples: command.examples ?? [],
  }));

const describeRoute = ({ route, plugin }: OwnedRoute): DescribedRoute => ({
  method: route.method,
  path: route.path,
  plugin,
  summary: route.summary,
  access: accessText(route.access),
  permissions: permissionsOf(route.access).filter((permission) => permission !== 'any'),
  dimension: route.dimension,
  params: route.params?.json,
  query: route.query?.json,
  headers: route.headers ?? {},
  body: route.bodyForm === 'items' ? undefined : (route.bodyShown ?? route.body?.json),
  item: route.bodyForm === 'items' ? (route.bodyShown ?? route.itemSchema?.json) : undefined,
  bodyForm: route.bodyForm ?? (route.body === undefined ? 'none' : 'json'),
  bodyOptional: route.bodyOptional === true,
  bodyLimit: route.bodyLimit ?? 'standard',
  answers: route.answers,
  example: route.example,
});

const sortKey = ({ path, method }: DescribedRoute): string => `${path} ${method}`;

const accessText = (access: Access): string =>
  typeof access === 'string' ? access : permissionsOf(access).join(' or ').replace(/^any$/, 'any key');

/** Returns the owner of a table. The table of a disabled plugin has no owner here, so it counts as the store's. */
const tableOwner = (table: string, plugins: readonly AnyPlugin[]): string =>
  plugins.find(({ name }) => table.startsWith(tablePrefix(name)))?.name ?? CORE_OWNER;
