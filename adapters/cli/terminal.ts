import type { Writable } from 'node:stream';
import type { Cell } from '../../kernel/command-api.ts';
import { harmlessText } from '../../kernel/internal-api.ts';
import type { CommandLineDeps } from './command-line-deps.ts';
import { type Paint, textTable, widthOf } from './text-table.ts';

/** Prints output to a person and asks questions. */
export const terminalOf = ({ stdin, stdout, stderr, env }: CommandLineDeps) => ({
  table: (rows: readonly (readonly Cell[])[], { titled = false }: { readonly titled?: boolean } = {}): string =>
    textTable(
      rows.map((row) => row.map(harmlessCell)),
      { titled, width: widthOf(stdout), paint: paintFor(stdout, env) },
    ),
  ask: isTerminal(stdin) && isTerminal(stderr) ? askBy(stdin, stderr) : undefined,
});

const harmlessCell = (cell: Cell): Cell =>
  typeof cell === 'string' ? cellText(cell) : { ...cell, text: cellText(cell.text) };

/** Two spaces separate the columns of a table, so the text of a cell keeps only one. */
const cellText = (text: string): string => harmlessText(text).replace(/(\S)\s{2,}/g, '$1 ');

const CODES = { strong: [1, 22], faint: [2, 22], warning: [33, 39] } as const;

/** Returns undefined when the output has no colours, or the user has disabled them. */
const paintFor = (output: Writable, env: CommandLineDeps['env']): Paint | undefined => {
  const terminal = output as Partial<NodeJS.WriteStream>;
  if (terminal.isTTY !== true || (env['NO_COLOR'] ?? '') !== '' || terminal.hasColors?.({ ...env }) !== true) {
    return undefined;
  }
  return (text, style) => {
    const [on, off] = CODES[style];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  };
};

const isTerminal = (stream: object): boolean => (stream as { readonly isTTY?: boolean }).isTTY === true;

const askBy =
  (input: CommandLineDeps['stdin'], output: Writable) =>
  async (prompt: string): Promise<string> => {
    // Loaded here, because most commands ask nothing.
    const { createInterface } = await import('node:readline/promises');
    const reader = createInterface({ input, output, terminal: false });
    try {
      return await new Promise<string>((resolve) => {
        reader.once('close', () => resolve(''));
        void reader.question(prompt).then(resolve, () => resolve(''));
      });
    } finally {
      reader.close();
    }
  };
