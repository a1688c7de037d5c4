import { basename } from 'node:path';
import { type BenchPlace, type BenchSearch, type BenchStore, openPlace } from './processes/bench-place.ts';
import type { ServerProcess } from './processes/child-process.ts';
import type { BenchEmbedder } from './recall/bench-embedder.ts';
import { madeSet } from './recall/made-sets.ts';
import { judge, mean, type Quality, recallIn } from './recall/quality-measures.ts';
import { type Memory, type QueryRow, readMemories } from './recall/read-corpus.ts';
import { RecallClient } from './recall/recall-client.ts';
import { figure, printTable } from './report/print-table.ts';
import { rowToFact } from './row-to-fact.ts';

export interface QualityOptions {
  /** Folders with a `corpus.jsonl` and a `queries.jsonl`, or names of made-up sets. */
  readonly folders: readonly string[];
  readonly store: BenchStore;
  readonly search: BenchSearch;
  readonly embedders: readonly BenchEmbedder[];
}

/** The token budget of an agent for memory in one prompt. */
const PROMPT_BUDGET = 2_000;
const NO_BUDGET = 200_000;

/** The default recall, and each stage by itself. The fused result must not be worse than any stage. */
const MODES: readonly { readonly name: string; readonly members: Readonly<Record<string, unknown>> }[] = [
  { name: 'fused (default weights)', members: {} },
  { name: 'lexical alone', members: { weights: { lexical: 1 } } },
  { name: 'vector alone', members: { weights: { vector: 1 } } },
  { name: 'graph alone', members: { weights: { graph: 1 } } },
  { name: 'lexical and graph', members: { weights: { lexical: 0.6, graph: 0.4 } } },
];

interface QuestionScore extends Quality {
  readonly inBudget: number;
  readonly ms: number;
}

/**
 * Runs every query of each folder with each embedder, with one node per memory, and prints the share of relevant facts
 * in the answers. One table shows the fused result beside its stages.
 */
export const benchRecallQuality = async ({ folders, store, search, embedders }: QualityOptions): Promise<void> => {
  const place = await openPlace(store, search);
  const rows: string[][] = [];
  try {
    for (const folder of folders) {
      const made = madeSet(folder);
      const memories = made === undefined ? await readMemories(folder) : [made];
      for (const embedder of embedders) {
        const scores = await judgeAll(place, memories, embedder);
        rows.push(
          ...scores.map((of, at) => [basename(folder), embedder.name, MODES[at]?.name ?? '', ...figuresOf(of)]),
        );
      }
    }
  } finally {
    await place.close();
  }
  printTable(
    [
      `set (${store}, search in ${search === 'memory' ? 'memory' : 'PostgreSQL'})`,
      'embedder',
      'stages',
      'questions',
      'R@5',
      'R@10',
      'nDCG@10',
      `in ${PROMPT_BUDGET} tokens`,
      'p50 ms',
    ],
    rows,
  );
};

/** The quality by mode. */
const judgeAll = async (
  place: BenchPlace,
  memories: readonly Memory[],
  embedder: BenchEmbedder,
): Promise<readonly QuestionScore[][]> => {
  const scores = MODES.map((): QuestionScore[] => []);
  for (const memory of memories) {
    const { options, close } = await embedder.open(memory);
    try {
      const [node] = await place.startNodes(options);
      if (node === undefined) throw new Error('no node was started');
      await askAll(node, memory, scores).finally(() => node.stop());
    } finally {
      await close();
    }
    console.error(`${memory.store}: ${memory.rows.length} rows, ${memory.queries.length} questions`);
  }
  return scores;
};

const figuresOf = (scores: readonly QuestionScore[]): string[] => {
  const percent = (of: (one: QuestionScore) => number): string => figure(100 * mean(scores.map(of)), 1);
  const times = scores.map(({ ms }) => ms).sort((a, b) => a - b);
  return [
    figure(scores.length),
    percent(({ recallAt5 }) => recallAt5),
    percent(({ recallAt10 }) => recallAt10),
    percent(({ ndcgAt10 }) => ndcgAt10),
    percent(({ inBudget }) => inBudget),
    figure(times[times.length >> 1] ?? 0, 2),
  ];
};

const askAll = async (node: ServerProcess, memory: Memory, scores: readonly QuestionScore[][]): Promise<void> => {
  const client = await RecallClient.open(node);
  try {
    await client.load(memory.rows);
    await client.untilEmbedded();
    const idOf = new Map(memory.rows.map((row) => [rowToFact(row).body.entity, row.id]));
    for (const [at, { members }] of MODES.entries()) {
      for (const query of memory.queries) scores[at]?.push(await ask(client, query, members, idOf));
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
): Promise<QuestionScore> => {
  const found = async (budget: number): Promise<string[]> => {
    const { facts } = await client.recall({ query, token_budget: budget, ...members });
    return facts.map(({ fact }) => idOf.get(fact.entity) ?? '');
  };
  const began = performance.now();
  const ranked = await found(NO_BUDGET);
  const ms = performance.now() - began;
  return { ...judge(ranked, gold), inBudget: recallIn(await found(PROMPT_BUDGET), gold), ms };
};
