import type { Instrument } from '../../kernel/internal-api.ts';
import { tableHead, tableRow } from './markdown-table.ts';

/** Lists every instrument of the node, under the name that a scrape shows. */
export const describeMetrics = (instruments: readonly Instrument[]): string[] => [
  ...tableHead('metric', 'kind', 'labels', 'means'),
  ...instruments.map((instrument) =>
    tableRow(
      `\`svc_${instrument.name}\``,
      instrument.kind === 'gauge' && instrument.of === 'store' ? 'gauge of the store' : instrument.kind,
      (instrument.labels ?? []).map((label) => `\`${label}\``).join(', '),
      instrument.help,
    ),
  ),
];
