import { Command, type ErrorOptions, type HelpContext } from 'commander';
import { closestName } from '../../kernel/internal-api.ts';

const UNKNOWN = /^error: unknown (?:command|option) '([^'=]+)/;

/**
 * Names wrong words where Commander passes over them: beside `--help`, after `help`, and behind the name of a group
 * with a usual command. It also suggests names in other case, such as START, which Commander does not.
 */
export class ForgivingCommand extends Command {
  override createCommand(name: string): ForgivingCommand {
    return new ForgivingCommand(name);
  }

  override error(message: string, options?: ErrorOptions): never {
    if (options?.code === 'commander.excessArguments') return this.#refuseSurplus(message, options);
    const typed = UNKNOWN.exec(message)?.[1];
    if (typed === undefined || /did you mean/i.test(message)) return super.error(message, options);
    const names = [...this.commands.map((command) => command.name()), ...this.options.map(({ long }) => long)];
    const meant = names.find((name) => name !== typed && name === typed.toLowerCase());
    return super.error(meant === undefined ? message : `${message}\n(Did you mean ${meant}?)`, options);
  }

  override helpInformation(context?: HelpContext): string {
    const [first = '', second = ''] = this.args;
    const word = first === 'help' ? second : first;
    const isWrong = word !== '' && word !== 'help' && !word.startsWith('-') && !this.#has(word);
    if (this.commands.length > 0 && isWrong) this.#refuseWord(word);
    return super.helpInformation(context);
  }

  #refuseSurplus(message: string, options: ErrorOptions): never {
    const group = this.parent;
    const [word = ''] = group?.args ?? [];
    // The group has passed its words to its usual command.
    if (group instanceof ForgivingCommand && group.parent !== null && !group.#has(word)) return group.#refuseWord(word);
    const takesWords = this.registeredArguments.length > 0;
    const remedy = takesWords ? 'put a text with spaces into quotes' : 'the command takes options alone';
    return super.error(`${message}\nhint: ${remedy}`, options);
  }

  #has(word: string): boolean {
    return this.commands.some((command) => command.name() === word);
  }

  #refuseWord(word: string): never {
    const meant = closestName(
      word,
      this.commands.map((command) => command.name()),
    );
    const suggestion = meant === undefined ? '' : `\n(Did you mean ${meant}?)`;
    return this.error(`error: unknown command '${word}'${suggestion}`, { code: 'commander.unknownCommand' });
  }
}
