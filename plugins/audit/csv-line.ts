export type CsvCell = string | number | boolean | null;

/**
 * Returns one record of RFC 4180, with its line end. A text that a spreadsheet could run as a formula gets a leading
 * apostrophe, which marks it as text. Numbers stay unchanged, because a number with a minus is no formula. Null becomes
 * an empty cell.
 */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

const csvCell = (cell: CsvCell): string => {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/**
 * Matches the start of a formula. Some programs skip leading white space, and some treat full-width signs like plain
 * ones.
 */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;
