import { HOST, type Memory, type Need, needsOf, PARTS, USE } from './capacity/capacity-model.ts';

const MEMORIES: readonly (Memory & { readonly name: string })[] = [
  { name: '10^6 facts, 1 tenant', facts: 1e6, tenants: 1 },
  { name: '10^6, 10^5 tenants', facts: 1e6, tenants: 1e5 },
  { name: '10^8, 10^5 tenants', facts: 1e8, tenants: 1e5 },
  { name: '10^9, 10^5 tenants', facts: 1e9, tenants: 1e5 },
];

/** Prints the table of `docs/concepts/scale.md`. */
export const benchCapacity = (): void => console.log(capacityTable());

/** Returns a table in Markdown: the needs of memories of several sizes, and which part is the first to fill a host. */
export const capacityTable = (): string => {
  const needs = MEMORIES.map(needsOf);
  const rows = [
    ['at the peak', ...MEMORIES.map(({ name }) => name)],
    ['---', ...MEMORIES.map(() => '---')],
    ...PARTS.map((part, at) => [part, ...needs.map((some) => spelled(some[at] as Need))]),
    ['**first to fill a host**', ...needs.map(firstFull)],
  ];
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};

/** Returns the assumptions of the table, in one sentence. */
export const assumptions = (): string =>
  `${USE.readsPerFact} reads of an entity and ${USE.recallsPerFact} recalls for each stored fact, all facts written ` +
  `within one year, and a peak of ${USE.peakPerMean} times the mean`;

const spelled = ({ amount, unit, share }: Need): string => `${rounded(amount)} ${unit} (${percent(share)})`;

const firstFull = (needs: readonly Need[]): string => {
  const [fullest] = needs.filter(({ part }) => !part.includes('search-postgres')).sort((a, b) => b.share - a.share);
  return fullest === undefined || fullest.share < 1 ? 'none' : fullest.part;
};

const rounded = (amount: number): string =>
  amount < 0.01 ? 'below 0.01' : Number(amount.toPrecision(2)).toLocaleString('en-US');

const percent = (share: number): string =>
  share < 0.01 ? 'below 1 %' : `${Number((100 * share).toPrecision(2)).toLocaleString('en-US')} %`;

/** The host of which the table gives shares. */
export const hostText = (): string =>
  `${HOST.processors} processors, ${HOST.memoryBytes / 2 ** 30} GiB of memory and ${HOST.diskBytes / 1e12} TB of disk`;
