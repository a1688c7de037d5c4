import type { ConfigSource, PluginCommands } from '../adapters/cli/command-line-deps.ts';
import { isWellFormed } from '../kernel/plugins/check-plugin.ts';
import type { AnyPlugin } from '../kernel/plugins/plugin-definition.ts';
import { partProblems } from '../kernel/plugins/plugin-parts.ts';
import type { BootProblem } from '../kernel/problems/boot-problem.ts';
import { importPlugin } from './create-node.ts';
import { loadNodeConfig } from './node-config.ts';
import { PLUGIN_CATALOG } from './plugin-catalog.ts';

/** Loads the commands of the configured plugins, and those of disabled ones of the package. Boots nothing. */
export const loadCommands = async (source: ConfigSource): Promise<PluginCommands> => {
  const { plugins, disabled, folder, problems: found } = await loadNodeConfig(source);
  const problems: BootProblem[] = [...found];
  const imported = await Promise.all(plugins.map((choice) => importPlugin(choice, folder, problems)));
  const on = imported.filter((plugin) => plugin !== undefined).filter(isWellFormed);
  problems.push(...imported.flatMap((plugin) => (plugin === undefined ? [] : partProblems(plugin))));
  const off = await Promise.all(disabled.map((name) => PLUGIN_CATALOG[name]?.()));
  const commandsOf = (plugin: AnyPlugin | undefined, enabled: boolean) =>
    (plugin?.commands ?? []).map((command) => ({ plugin: plugin?.name ?? '', enabled, command }));
  const commands = [
    ...on.flatMap((plugin) => commandsOf(plugin, true)),
    ...off.flatMap((plugin) => commandsOf(plugin, false)),
  ];
  const words = on.flatMap((plugin) => plugin.declares ?? []);
  return { commands, words, problems };
};
