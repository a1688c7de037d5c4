/** Prints rows under a heading in aligned columns, with text to the left and numbers to the right. */
export const printTable = (heading: readonly string[], rows: readonly (readonly string[])[]): void => {
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  console.log(line(heading));
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const row of rows) console.log(line(row));
};

export const figure = (value: number | null, digits = 0): string =>
  value === null
    ? 'n/a'
    : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** Formats a ratio as a percentage. */
export const share = (part: number, whole: number): string => `${figure((100 * part) / whole, 1)} %`;
