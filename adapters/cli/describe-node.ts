import type { DescribedNode, DescribedPlugin } from '../../kernel/internal-api.ts';
import { textTable } from './text-table.ts';

const INDENT = '  ';

/** Describes everything that a configuration enables, for `start --print`. */
export const describeNode = (
  { plugins, settings, routes, hooks, tables }: DescribedNode,
  width?: number | undefined,
): string =>
  sections(width, [
    ['Plugins', plugins.filter(({ enabled }) => enabled).map(({ name, version, summary }) => [name, version, summary])],
    ['Settings', settings.map(({ owner, ...setting }) => [owner, ...settingCells(setting)])],
    ['Routes', routes.map(({ method, path, access, plugin, summary }) => [method, path, access, plugin, summary])],
    ['Hooks', hooks.map(({ hook, kind, handlers }) => [hook, kind, handlers.map(({ plugin }) => plugin).join(', ')])],
    ['Tables', tables.map(({ name, plugin }) => [name, plugin])],
  ]);

/** Returns one line per plugin, enabled or disabled. */
export const listPlugins = ({ plugins }: DescribedNode, width?: number | undefined): string =>
  textTable(
    plugins.map(({ name, enabled, version, summary }) => [enabled ? 'on' : 'off', name, version, summary]),
    { width },
  );

/** Describes everything that one plugin adds, and its settings. */
export const describePlugin = (plugin: DescribedPlugin, node: DescribedNode, width?: number | undefined): string => {
  const mine = (part: { readonly plugin: string }): boolean => part.plugin === plugin.name;
  const settings = node.settings.filter(({ owner }) => owner === `plugins.${plugin.name}`);
  const title = `${plugin.name} ${plugin.version}, ${plugin.enabled ? 'on' : 'off'}\n${plugin.summary}\n\n`;
  return `${title}${sections(width, [
    ['Settings', settings.map(settingCells)],
    ['Routes', node.routes.filter(mine).map(({ method, path, access, summary }) => [method, path, access, summary])],
    ['Hooks', node.hooks.filter(({ handlers }) => handlers.some(mine)).map(({ hook, kind }) => [hook, kind])],
    ['Tables', node.tables.filter(mine).map(({ name }) => [name])],
    ['Provides', plugin.provides.map((ref) => [ref])],
    ['Requires', plugin.requires.map((ref) => [ref])],
  ])}`;
};

const settingCells = ({ key, variable, value, origin }: Omit<DescribedNode['settings'][number], 'owner'>): string[] => [
  key,
  variable ?? '',
  JSON.stringify(value) ?? 'unset',
  origin,
];

type Section = readonly [heading: string, rows: readonly (readonly string[])[]];

const sections = (width: number | undefined, all: readonly Section[]): string =>
  all
    .filter(([, rows]) => rows.length > 0)
    .map(([heading, rows]) => `${heading}\n${textTable(rows, { indent: INDENT, width })}`)
    .join('\n');
