import type { Writable } from 'node:stream';
import type { Cell } from '../../kernel/command-api.ts';
import type { StyledCell } from '../../kernel/internal-api.ts';

const GAP = '  ';
/** A column is never made narrower than this. */
const LEAST_WIDTH = 8;
/** A piece of text up to this length, such as an identifier, is kept in one piece, so that it can be copied. */
const WHOLE_PIECE = 40;
/** The indent of lines that belong to an entry. */
const INDENT = '  ';

export interface TableOptions {
  readonly indent?: string;
  /** Columns of the terminal; without it a line is as long as it needs to be. */
  readonly width?: number | undefined;
  /** The first row names the columns. */
  readonly titled?: boolean;
  /** Gives a piece of text the look of its cell; text stays plain without it. */
  readonly paint?: Paint | undefined;
}

export type Paint = (text: string, style: StyledCell['style']) => string;

/**
 * Columns of the terminal behind a stream; undefined for a pipe or a file, where programs read and nothing is wrapped.
 */
export const widthOf = (output: Writable): number | undefined => {
  const { isTTY, columns } = output as Partial<NodeJS.WriteStream>;
  return isTTY === true ? columns : undefined;
};

/**
 * Rows in columns, the last one ragged. Where they do not fit the width, long cells continue on lines of their own, and
 * where even that does not help, each row becomes a paragraph. Empty without rows.
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

/** Blanks around a text have no look. */
const painted = (cell: Cell | undefined, text: string, paint: Paint): string => {
  if (cell === undefined || typeof cell === 'string' || text.trim() === '') return text;
  const core = text.trimEnd();
  return `${paint(core, cell.style)}${text.slice(core.length)}`;
};

/** Width of each column, the widest made narrower until all fit; undefined when they cannot. */
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

/** Text may be broken after a space or a comma. */
const piecesOf = (text: string): string[] => text.match(/[^\s,]*[\s,]+|[^\s,]+/g) ?? [];

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

/** One line for each cell that holds something; the first stands out, or the titles stand before all. */
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
