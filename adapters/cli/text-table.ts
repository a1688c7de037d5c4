const GAP = '  ';

/** Rows in columns, the last one ragged. Empty without rows. */
export const textTable = (rows: readonly (readonly string[])[], indent = ''): string => {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  }
  return rows
    .map((row) => `${indent}${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(GAP)}`.trimEnd())
    .map((line) => `${line}\n`)
    .join('');
};
