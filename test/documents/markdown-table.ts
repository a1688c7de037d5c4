export const tableRow = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;

export const tableHead = (...names: readonly string[]): string[] => [
  tableRow(...names),
  `|${'---|'.repeat(names.length)}`,
];
