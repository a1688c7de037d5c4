import { Argument, type Command } from 'commander';
import { EXIT } from '../../../kernel/command-api.ts';
import { PROGRAM_NAMES } from '../called-as.ts';
import type { CommandLineDeps } from '../command-line-deps.ts';
import { bashScript } from './bash-script.ts';
import { completedCommands } from './completed-words.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export const COMPLETION = 'completion';

/** Adds the command that prints a completion script. The script contains all commands, including those of plugins. */
export const addCompletionCommand = (
  program: Command,
  deps: CommandLineDeps,
  done: (exitCode: number) => void,
): void => {
  program
    .command(COMPLETION)
    .summary('let a shell complete commands and options')
    .description(
      'Writes a script that completes commands, options, and their words and files, as they are in this version and ' +
        'configuration.',
    )
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(Object.keys(SCRIPTS)))
    .option('--config <file>', 'configuration file')
    .addHelpText(
      'after',
      `
Add the line for your shell to its start-up file, in zsh after compinit. Written
to a file that is sourced, the script costs no time when the shell starts.

Examples:
  eval "$(fact-memory-node completion bash)"
  eval "$(fact-memory-node completion zsh)"
  fact-memory-node completion fish | source`,
    )
    .action((shell: keyof typeof SCRIPTS) => {
      deps.stdout.write(SCRIPTS[shell](PROGRAM_NAMES, completedCommands(program)));
      done(EXIT.ok);
    });
};
