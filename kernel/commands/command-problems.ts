import type { BootProblem } from '../boot/boot-problem.ts';
import type { AnyPlugin } from '../plugins/plugin-definition.ts';

/** Commands of the node itself. */
const OWN_COMMANDS: readonly string[] = ['start', 'init', 'restored', 'plugins', 'help'];
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** Commands without a proper name, and words that two plugins, or a plugin and the node, use alike. */
export const commandProblems = (plugins: readonly AnyPlugin[]): BootProblem[] => {
  const problems: BootProblem[] = [];
  const owners = new Map(OWN_COMMANDS.map((name) => [name, 'the node']));
  for (const plugin of plugins) {
    for (const { name } of plugin.commands ?? []) {
      const first = owners.get(name);
      if (!NAME.test(name)) {
        const hint = 'a name is lower-case words with dashes between them';
        problems.push({ message: `a command of ${plugin.name} cannot be named ${JSON.stringify(name)}`, hint });
      } else if (first === undefined) owners.set(name, plugin.name);
      else {
        const hint = first === 'the node' ? 'another name is needed' : 'disable one of them';
        problems.push({ message: `the command ${name} belongs to ${first} and to ${plugin.name}`, hint });
      }
    }
  }
  return problems;
};
