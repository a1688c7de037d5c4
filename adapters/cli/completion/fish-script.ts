import type { CompletedCommand, CompletedOption, CompletedValue } from './completed-words.ts';

/** Returns the completion script for `source` in fish 3. */
export const fishScript = (
  [program = '', ...others]: readonly string[],
  commands: readonly CompletedCommand[],
): string => {
  const routes = commands.map(({ route }) => route).filter((route) => route !== '');
  const lines = [
    `set -g __fact_memory_node_routes ${routes.map(quoted).join(' ')}`,
    AT,
    LIST,
    `complete -c ${program} -e`,
    `complete -c ${program} -f`,
    ...commands.flatMap((command) => linesOf(program, command)),
    ...others.map((other) => `complete -c ${other} -w ${program}`),
  ];
  return `${lines.join('\n')}\n`;
};

const AT = `function __fact_memory_node_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l route
    for word in $words
        set -l longer (string join ' ' -- $route $word)
        contains -- "$longer" $__fact_memory_node_routes; and set route "$longer"
    end
    test "$route" = "$argv[1]"
end`;

const LIST = `function __fact_memory_node_list
    set -l typed (string replace -r '[^,]*$' '' -- (string replace -r '^--[^=]*=' '' -- (commandline -ct)))
    printf '%s\\n' "$typed"$argv
end`;

const linesOf = (program: string, { route, commands, options, takesFile }: CompletedCommand): readonly string[] => {
  const start = `complete -c ${program} -n ${quoted(`__fact_memory_node_at '${route}'`)}`;
  return [
    ...commands.map(({ name, summary }) => `${start} -a ${name} -d ${quoted(summary)}`),
    ...options.map((option) => `${start} ${optionText(option)}`),
    ...(takesFile ? [`${start} -F`] : []),
  ];
};

const optionText = ({ flag, summary, value }: CompletedOption): string =>
  `-l ${flag.replace(/^--/, '')} -d ${quoted(summary)}${value === undefined ? '' : valueText(value)}`;

const valueText = (value: CompletedValue): string => {
  switch (value.kind) {
    case 'file':
      return ' -r -F';
    case 'nothing':
      return ' -x';
    case 'word':
      return ` -x -a ${quoted(value.words.join(' '))}`;
    case 'list':
      return ` -x -a ${quoted(`(__fact_memory_node_list ${value.words.join(' ')})`)}`;
  }
};

/** Escapes the two special characters of single quotes in fish. */
const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
