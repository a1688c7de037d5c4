import type { NodeDescription, PluginDescription } from './command-line-deps.ts';
import { textTable } from './text-table.ts';

/** Everything that a configuration switches on, for `start --print`. */
export const describeNode = ({ plugins }: NodeDescription): string => {
  const enabled = plugins.filter((plugin) => plugin.enabled);
  return [
    'Plugins\n',
    textTable(
      enabled.map(({ name, version, summary }) => [name, version, summary]),
      '  ',
    ),
    '\nRoutes\n',
    textTable(
      enabled.flatMap(({ name, routes }) =>
        routes.map(({ method, path, access, summary }) => [method, path, access, name, summary]),
      ),
      '  ',
    ),
    '\nHooks\n',
    textTable(handlersByHook(enabled), '  '),
    '\nTables\n',
    textTable(
      enabled.flatMap(({ name, tables }) => tables.map((table) => [table, name])),
      '  ',
    ),
  ].join('');
};

/** One row per hook, with the plugins that handle it in the order of their calls. */
const handlersByHook = (plugins: readonly PluginDescription[]): string[][] => {
  const handlers = new Map<string, string[]>();
  for (const { name, hooks } of plugins) {
    for (const hook of hooks) handlers.set(hook, [...(handlers.get(hook) ?? []), name]);
  }
  return [...handlers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([hook, names]) => [hook, names.join(', ')]);
};

/** One line per plugin, on or off. */
export const listPlugins = ({ plugins }: NodeDescription): string =>
  textTable(plugins.map(({ name, enabled, version, summary }) => [enabled ? 'on ' : 'off', name, version, summary]));

/** All that one plugin brings, and how it is set. */
export const describePlugin = (plugin: PluginDescription): string => {
  const sections: readonly (readonly [string, readonly (readonly string[])[]])[] = [
    [
      'Settings',
      plugin.settings.map((setting) => [
        setting.name,
        setting.type,
        setting.default === '' ? '' : `default ${setting.default}`,
        setting.env,
        setting.description,
      ]),
    ],
    ['Routes', plugin.routes.map(({ method, path, access, summary }) => [method, path, access, summary])],
    ['Hooks', plugin.hooks.map((hook) => [hook])],
    ['Tables', plugin.tables.map((table) => [table])],
    ['Provides', plugin.provides.map((ref) => [ref])],
    ['Requires', plugin.requires.map((ref) => [ref])],
  ];
  const title = `${plugin.name} ${plugin.version} (${plugin.enabled ? 'on' : 'off'})\n${plugin.summary}\n`;
  return sections
    .filter(([, rows]) => rows.length > 0)
    .reduce((text, [heading, rows]) => `${text}\n${heading}\n${textTable(rows, '  ')}`, title);
};
