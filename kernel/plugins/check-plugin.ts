import type { BootProblem } from '../boot/boot-problem.ts';
import { type AnyPlugin, KERNEL_API, type Requires } from './plugin-definition.ts';

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Their prefix would reach the tables and the log tags of the kernel itself. */
const RESERVED_NAMES: readonly string[] = ['core', 'kernel', 'node', 'schema', 'port'];

/** Whether a value has the outline of a plugin. What it says of itself is judged by `checkPlugin`. */
export const looksLikePlugin = (value: unknown): value is AnyPlugin =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<AnyPlugin>).name === 'string' &&
  typeof (value as Partial<AnyPlugin>).setup === 'function';

/** What is wrong with a plugin's own description. A plugin that nobody here compiled may hold anything. */
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
  const needs = Object.values((plugin.requires ?? {}) as Requires);
  const refs = [...needs.map((need) => ('optional' in need ? need.optional : need)), ...(plugin.provides ?? [])];
  if (!refs.every((ref) => typeof ref?.id === 'string')) {
    problems.push({ message: `${name} requires or provides something that is not a ref`, hint: 'use defineRef' });
  }
  const migrations = plugin.migrations ?? [];
  if (
    !migrations.every(
      ({ number, name: text, up }) =>
        Number.isSafeInteger(number) && number > 0 && typeof text === 'string' && typeof up === 'function',
    )
  ) {
    problems.push({ message: `${name} has a migration without a positive whole number, a name or an up function` });
  }
  return problems;
};

/** The start of the names of a plugin's tables. */
export const tablePrefix = (pluginName: string): string => `${pluginName.replaceAll('-', '_')}_`;
