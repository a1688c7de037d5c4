import type { Argument, Command, Option } from 'commander';
import { acceptedWords } from '../accepted-words.ts';

/** The completions of a value, either of an option or of an argument. */
export type CompletedValue =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'file' }
  /** `list` accepts several of the words, separated by commas. */
  | { readonly kind: 'word' | 'list'; readonly words: readonly string[] };

export interface CompletedOption {
  /** The spelled flag, for example `--key-file`. */
  readonly flag: string;
  readonly summary: string;
  /** Undefined for an option that takes no value. */
  readonly value: CompletedValue | undefined;
}

/** A command, or the program itself, as shell completion needs it. */
export interface CompletedCommand {
  /** The words of the command after the program's name, joined by spaces. */
  readonly route: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly CompletedOption[];
  readonly takesFile: boolean;
}

/** Returns the program and all its commands. Leaves out words with a special meaning in a shell. */
export const completedCommands = (command: Command, above: readonly string[] = []): readonly CompletedCommand[] => {
  const below = command.commands.filter((one) => isPlain(one.name()));
  return [
    {
      route: above.join(' '),
      commands: below.map((one) => ({ name: one.name(), summary: one.summary() })),
      options: [...command.options.flatMap(completedOption), HELP],
      takesFile: command.registeredArguments.some((argument) => namesFile(argument)),
    },
    ...below.flatMap((one) => completedCommands(one, [...above, one.name()])),
  ];
};

const HELP: CompletedOption = { flag: '--help', summary: 'print help', value: undefined };

const completedOption = (option: Option): readonly CompletedOption[] => {
  const { long, description } = option;
  if (long == null || !isPlain(long)) return [];
  const takesValue = option.required || option.optional;
  return [{ flag: long, summary: description, value: takesValue ? acceptedValue(option) : undefined }];
};

const acceptedValue = (option: Option): CompletedValue => {
  const { words, isList } = acceptedWords(option);
  const plain = words.filter(isPlain);
  if (plain.length > 0) return { kind: isList ? 'list' : 'word', words: plain };
  return { kind: /<(?:file|folder|path)>/.test(option.flags) ? 'file' : 'nothing' };
};

const FILE_ARGUMENTS: ReadonlySet<string> = new Set(['file', 'files', 'folder', 'path', 'backup']);

const namesFile = (argument: Argument): boolean => FILE_ARGUMENTS.has(argument.name());

const isPlain = (word: string): boolean => /^[A-Za-z0-9._@/+-]+$/.test(word);
