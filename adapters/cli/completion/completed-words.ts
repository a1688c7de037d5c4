import type { Argument, Command, Option } from 'commander';
import { acceptedWords } from '../accepted-words.ts';

/** A value after an option or at the place of an argument. */
export type CompletedValue =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'file' }
  /** `list`: several of the words, with commas between them. */
  | { readonly kind: 'word' | 'list'; readonly words: readonly string[] };

export interface CompletedOption {
  /** `--key-file` */
  readonly flag: string;
  readonly summary: string;
  /** Undefined for an option that takes no value. */
  readonly value: CompletedValue | undefined;
}

/** A command, or the program itself, as a shell needs to know it. */
export interface CompletedCommand {
  /** Its words after the name of the program, with blanks between them. */
  readonly route: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly CompletedOption[];
  readonly takesFile: boolean;
}

/** The program and all its commands. Words that a shell would read in another way are left out. */
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
