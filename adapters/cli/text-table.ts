import type { Writable } from 'node:stream';
import type { Cell } from '../../kernel/command-api.ts';
import type { StyledCell } from '../../kernel/internal-api.ts';

const GAP = '  ';
/** The minimum width of a column. */
const LEAST_WIDTH = 8;
/** The maximum length of a text that is never broken, such as an identifier, so that users can copy it. */
const WHOLE_PIECE = 40;
/** The indent of lines that belong to an entry. */
const INDENT = '  ';

export interface TableOptions {
  readonly indent?: string;
  /** The columns of the terminal. Without it, lines have any length. */
  readonly width?: number | undefined;
  /** True when the first row names the columns. */
  readonly titled?: boolean;
  /** Applies the style of a cell to its text. Without it, text stays plain. */
  readonly paint?: Paint | undefined;
}

export type Paint = (text: string, style: StyledCell['style']) => string;

/** Returns the columns of the terminal behind a stream; undefined for a pipe or a file, which gets unwrapped lines. */
export const widthOf = (output: Writable): number | undefined => {
  const { isTTY, columns } = output as Partial<NodeJS.WriteStream>;
  return isTTY === true ? columns : undefined;
};

/**
 * Formats rows in columns. Where they exceed the width, long cells continue on further lines. Where even that does not
 * fit, each row becomes a paragraph. Returns an empty text without rows.
 */
export const textTable = (rows: readonly (readonly Cell[])[], options: TableOptions = {}): string => {
  const { indent = '', width = Number.POSITIVE_INFINITY, titled = false, paint = PLAIN } = options;
  const texts = rows.map((row) => row.map(textOf));
  const gaps = (Math.max(0, ...rows.map((row) => row.length)) - 1) * GAP.length;
  const widths = fittedWidths(texts, width - indent.length - gaps);
  if (widths === undefined) return paragraphs(rows, indent, titled, paint);
  return rows
    .flatMap((row) => {
      const cells = row.map((cell, column) => wrap(textOf(cell), widths[column] ?? 0));
      const height = Math.max(1, ...cells.map((lines) => lines.length));
      return Array.from({ length: height }, (_, line) => {
        const pieces = cells.map((lines, column) => (lines[line] ?? '').padEnd(widths[column] ?? 0));
        const end = pieces.findLastIndex((piece) => piece.trim() !== '');
        const shown = pieces.slice(0, end + 1).map((piece, column) => {
          const text = column === end ? piece.trimEnd() : piece;
          return painted(row[column], text, paint);
        });
        return `${indent}${shown.join(GAP)}`.trimEnd();
      });
    })
    .map((line) => `${line}\n`)
    .join('');
};

const PLAIN: Paint = (text) => text;

const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text);

/** Applies a style to the text without its trailing spaces. */
const painted = (cell: Cell | undefined, text: string, paint: Paint): string => {
  if (cell === undefined || typeof cell === 'string' || text.trim() === '') return text;
  const core = text.trimEnd();
  return `${paint(core, cell.style)}${text.slice(core.length)}`;
};

/** Returns the width of each column, after shrinking the widest ones until all fit; undefined when they cannot fit. */
const fittedWidths = (rows: readonly (readonly string[])[], available: number): number[] | undefined => {
  const widths: number[] = [];
  const least: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
      least[column] = Math.max(least[column] ?? 0, Math.min(cell.length, leastWidth(cell)));
    }
  }
  const total = (): number => widths.reduce((sum, each) => sum + each, 0);
  while (total() > available) {
    const spare = widths.map((each, column) => (each > (least[column] ?? 0) ? each : 0));
    const widest = Math.max(...spare);
    if (widest === 0) return undefined;
    const column = spare.lastIndexOf(widest);
    widths[column] = Math.max(least[column] ?? 0, widest - (total() - available));
  }
  return widths;
};

const leastWidth = (cell: string): number =>
  Math.max(
    LEAST_WIDTH,
    ...piecesOf(cell).map((piece) => (piece.trimEnd().length <= WHOLE_PIECE ? piece.trimEnd().length : 0)),
  );

/** Splits text after spaces and commas, where lines may break. */
const piecesOf = (text: string): string[] => text.match(/[^\s,]+[\s,]*|[\s,]+/g) ?? [];

const wrap = (text: string, width: number): string[] => {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const piece of piecesOf(text).flatMap((each) => cut(each, width))) {
    if (line !== '' && (line + piece.trimEnd()).length > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += piece;
  }
  return [...lines, line.trimEnd()];
};

const cut = (piece: string, width: number): string[] =>
  piece.trimEnd().length <= width ? [piece] : (piece.match(new RegExp(`.{1,${width}}`, 'gs')) ?? []);

/** Returns one line for each cell that is not empty. The first cell is emphasised, or titles precede all cells. */
const paragraphs = (rows: readonly (readonly Cell[])[], indent: string, titled: boolean, paint: Paint): string => {
  const titles = titled ? (rows[0] ?? []).map(textOf) : [];
  const entries = titled ? rows.slice(1) : rows;
  const titleWidth = Math.max(0, ...titles.map((title) => title.length));
  return entries
    .map((row) =>
      row
        .map((cell, column) => {
          if (textOf(cell) === '') return '';
          const lead = titled ? `${(titles[column] ?? '').padEnd(titleWidth)}${GAP}` : column === 0 ? '' : INDENT;
          return `${indent}${lead}${painted(cell, textOf(cell), paint)}\n`;
        })
        .join(''),
    )
    .join(titled ? '\n' : '');
};
