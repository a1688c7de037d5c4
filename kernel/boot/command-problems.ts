import { isGroup, type PluginCommand } from '../commands/command-definition.ts';
import type { AnyPlugin } from '../plugins/plugin-definition.ts';
import type { BootProblem } from '../problems/boot-problem.ts';

/** The commands of the program itself, which no plugin may define. */
const OWN_COMMANDS: readonly string[] = ['start', 'init', 'restored', 'plugins', 'completion', 'help'];
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/**
 * Returns problems with commands: invalid names, and names used by two plugins, or by a plugin and the node. Plugins
 * may share a group with the same name and summary, if its commands have different names.
 */
export const commandProblems = (plugins: readonly AnyPlugin[]): BootProblem[] => {
  const problems: BootProblem[] = [];
  const owners = new Map(OWN_COMMANDS.map((name) => [name, 'the node']));
  const groups = new Map<string, PluginCommand>();
  const claim = (name: string, word: string, plugin: AnyPlugin): void => {
    const first = owners.get(name);
    if (!NAME.test(word)) {
      const hint = 'a name is lower-case words with dashes between them';
      problems.push({ message: `a command of ${plugin.name} cannot be named ${JSON.stringify(word)}`, hint });
    } else if (first === undefined) owners.set(name, plugin.name);
    else {
      const hint = first === 'the node' ? 'another name is needed' : 'disable one of them';
      problems.push({ message: `the command ${name} belongs to ${first} and to ${plugin.name}`, hint });
    }
  };
  for (const plugin of plugins) {
    for (const command of plugin.commands ?? []) {
      const shared = groups.get(command.name);
      if (shared === undefined || !isSameGroup(shared, command)) claim(command.name, command.name, plugin);
      if (!isGroup(command)) continue;
      if (shared === undefined) groups.set(command.name, command);
      for (const { name } of command.commands) claim(`${command.name} ${name}`, name, plugin);
    }
  }
  return problems;
};

const isSameGroup = (one: PluginCommand, other: PluginCommand): boolean =>
  isGroup(one) && isGroup(other) && one.summary === other.summary;
