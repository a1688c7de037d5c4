import type { CompletedCommand, CompletedValue } from './completed-words.ts';

/**
 * Returns shell functions for both bash and zsh that print the possible words: `…_commands ROUTE`, `…_options ROUTE`,
 * and `…_value ROUTE FLAG`. The last prints a kind and words, and fails for an option without a value.
 */
export const posixWords = (prefix: string, commands: readonly CompletedCommand[]): string => {
  const list = (name: string, wordsOf: (command: CompletedCommand) => readonly string[]): string =>
    branching(
      `${prefix}_${name}`,
      '$1',
      commands.flatMap((command) => {
        const words = wordsOf(command);
        return words.length === 0 ? [] : [[`'${command.route}'`, `echo '${words.join(' ')}'`]];
      }),
    );
  const values = commands.flatMap(({ route, options }) =>
    options.flatMap(({ flag, value }) =>
      value === undefined ? [] : [[`'${route} ${flag}'`, valueText(value)] as const],
    ),
  );
  return [
    list('commands', (command) => command.commands.map(({ name }) => name)),
    list('options', (command) => command.options.map(({ flag }) => flag)),
    list('files', ({ takesFile }) => (takesFile ? ['file'] : [])),
    branching(`${prefix}_value`, '$1 $2', grouped(values), 'return 1'),
  ].join('');
};

const valueText = (value: CompletedValue): string =>
  `echo '${[value.kind, ...('words' in value ? value.words : [])].join(' ')}'`;

/** Merges the patterns of a shell `case` that have equal text, because most options belong to many commands. */
const grouped = (branches: readonly (readonly [pattern: string, text: string])[]): (readonly [string, string])[] => {
  const patterns = new Map<string, string[]>();
  for (const [pattern, text] of branches) patterns.set(text, [...(patterns.get(text) ?? []), pattern]);
  return [...patterns].map(([text, all]) => [all.join(' | \\\n    '), text]);
};

const branching = (name: string, subject: string, branches: readonly (readonly string[])[], otherwise = ''): string => {
  const lines = branches.map(([pattern, text]) => `    ${pattern}) ${text} ;;\n`).join('');
  return `${name}() {\n  case "${subject}" in\n${lines}    *) ${otherwise === '' ? ':' : otherwise} ;;\n  esac\n}\n`;
};
