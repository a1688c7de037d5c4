import type { BootProblem } from '../problems/boot-problem.ts';
import { type AnyPlugin, KERNEL_API } from './plugin-definition.ts';
import { partProblems } from './plugin-parts.ts';

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/**
 * Reserved plugin names: names of the node itself in logs and refs, and names whose prefix would give access to its
 * tables.
 */
const RESERVED_NAMES: readonly string[] = ['core', 'fact', 'kernel', 'node', 'port', 'schema', 'sqlite'];

/** Returns whether a value has the shape of a plugin. `checkPlugin` checks the rest. */
export const looksLikePlugin = (value: unknown): value is AnyPlugin =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<AnyPlugin>).name === 'string' &&
  typeof (value as Partial<AnyPlugin>).setup === 'function';

/** Finds mistakes in a plugin's own description. A foreign plugin in JavaScript may hold anything. */
export const checkPlugin = (plugin: AnyPlugin): BootProblem[] => {
  const problems: BootProblem[] = [];
  const { name } = plugin;
  if (!NAME.test(name) || RESERVED_NAMES.includes(name)) {
    problems.push({
      message: `a plugin cannot be named ${JSON.stringify(name)}`,
      hint: `a name is lower-case words with dashes between them, and none of ${RESERVED_NAMES.join(', ')}`,
    });
  }
  if (typeof plugin.version !== 'string' || plugin.version === '') {
    problems.push({ message: `${name} has no version`, hint: 'version is text, for example 1.0.0' });
  }
  if (plugin.kernelApi !== KERNEL_API) {
    problems.push({
      message: `${name} is written for version ${JSON.stringify(plugin.kernelApi)} of the kernel interface, this node has ${KERNEL_API}`,
      hint: `kernelApi must be ${KERNEL_API}; look for another release of the plugin`,
    });
  }
  const parts = partProblems(plugin);
  if (parts.length > 0) return [...problems, ...parts];
  const foreign = (plugin.contents ?? []).find(({ table }) => !table.startsWith(tablePrefix(name)));
  if (foreign !== undefined) {
    problems.push({
      message: `${name} declares the content of ${JSON.stringify(foreign.table)}, which is no table of it`,
      hint: `its tables start with ${tablePrefix(name)}`,
    });
  }
  return problems;
};

/** Returns whether all parts of the plugin have the form that the kernel expects. */
export const isWellFormed = (plugin: AnyPlugin): boolean => partProblems(plugin).length === 0;

/** Returns the prefix of a plugin's tables. */
export const tablePrefix = (pluginName: string): string => `${pluginName.replaceAll('-', '_')}_`;
