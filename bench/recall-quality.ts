import { type BenchStore, openPlace } from './processes/bench-place.ts';
import type { ServerProcess } from './processes/child-process.ts';
import { judge, mean, type Quality, recallIn } from './recall/quality-measures.ts';
import { type Memory, type QueryRow, readMemories } from './recall/read-corpus.ts';
import { RecallClient } from './recall/recall-client.ts';
import { figure, printTable } from './report/print-table.ts';
import { rowToFact } from './row-to-fact.ts';

export interface QualityOptions {
  /** Folder with `corpus.jsonl` and `queries.jsonl`. */
  readonly folder: string;
  readonly store: BenchStore;
}

/** The budget that an agent spends on memory in one prompt. */
const PROMPT_BUDGET = 2_000;
const NO_BUDGET = 200_000;

/** The default, and each stage by itself: the fused result must not be below any of them. */
const MODES: readonly { readonly name: string; readonly members: Readonly<Record<string, unknown>> }[] = [
  { name: 'fused (default weights)', members: {} },
  { name: 'lexical alone', members: { weights: { lexical: 1 } } },
  { name: 'vector alone', members: { weights: { vector: 1 } } },
  { name: 'lexical and graph', members: { weights: { lexical: 0.6, graph: 0.4 } } },
];

interface Judged extends Quality {
  readonly inBudget: number;
  readonly ms: number;
}

/** Asks every question of a folder, each memory on a node of its own, and prints how much of the evidence came back. */
export const benchRecallQuality = async ({ folder, store }: QualityOptions): Promise<void> => {
  const memories = await readMemories(folder);
  const judged = MODES.map((): Judged[] => []);
  const place = await openPlace(store);
  try {
    for (const memory of memories) {
      const [node] = await place.startNodes();
      if (node === undefined) throw new Error('no node was started');
      try {
        await askAll(node, memory, judged);
      } finally {
        await node.stop();
      }
      console.error(`${memory.store}: ${memory.rows.length} rows, ${memory.queries.length} questions`);
    }
  } finally {
    await place.close();
  }
  const percent = (values: readonly number[]): string => figure(100 * mean(values), 1);
  printTable(
    [`${judged[0]?.length ?? 0} questions, ${store}`, 'R@5', 'R@10', 'nDCG@10', `in ${PROMPT_BUDGET} tokens`, 'p50 ms'],
    MODES.map(({ name }, at) => {
      const of = judged[at] ?? [];
      const times = of.map(({ ms }) => ms).sort((a, b) => a - b);
      return [
        name,
        percent(of.map(({ recallAt5 }) => recallAt5)),
        percent(of.map(({ recallAt10 }) => recallAt10)),
        percent(of.map(({ ndcgAt10 }) => ndcgAt10)),
        percent(of.map(({ inBudget }) => inBudget)),
        figure(times[times.length >> 1] ?? 0, 2),
      ];
    }),
  );
};

const askAll = async (node: ServerProcess, memory: Memory, judged: readonly Judged[][]): Promise<void> => {
  const client = await RecallClient.open(node);
  try {
    await client.load(memory.rows);
    await client.untilEmbedded();
    const idOf = new Map(memory.rows.map((row) => [rowToFact(row).body.entity, row.id]));
    for (const [at, { members }] of MODES.entries()) {
      for (const query of memory.queries) judged[at]?.push(await ask(client, query, members, idOf));
    }
  } finally {
    client.close();
  }
};

const ask = async (
  client: RecallClient,
  { query, gold }: QueryRow,
  members: Readonly<Record<string, unknown>>,
  idOf: ReadonlyMap<string, string>,
): Promise<Judged> => {
  const found = async (budget: number): Promise<string[]> => {
    const { facts } = await client.recall({ query, token_budget: budget, ...members });
    return facts.map(({ fact }) => idOf.get(fact.entity) ?? '');
  };
  const began = performance.now();
  const ranked = await found(NO_BUDGET);
  const ms = performance.now() - began;
  return { ...judge(ranked, gold), inBudget: recallIn(await found(PROMPT_BUDGET), gold), ms };
};
