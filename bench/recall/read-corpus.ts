import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CorpusRow } from '../row-to-fact.ts';

/** One line of a `queries.jsonl`: a question, and the relevance of each row that answers it. */
export interface QueryRow {
  readonly store: string;
  readonly id: string;
  readonly query: string;
  readonly type: string;
  readonly gold: Readonly<Record<string, number>>;
}

/** One memory of a folder, with its questions. */
export interface Memory {
  readonly store: string;
  readonly rows: readonly CorpusRow[];
  readonly queries: readonly QueryRow[];
}

/** The category of questions without an answer in the memory, by the convention of the LoCoMo data set. */
const UNANSWERABLE = 'adversarial';

/** Reads the `corpus.jsonl` and `queries.jsonl` of a folder, in the order of the files. */
export const readMemories = async (folder: string): Promise<Memory[]> => {
  const rows = await readLines<CorpusRow>(join(folder, 'corpus.jsonl'));
  const queries = await readLines<QueryRow>(join(folder, 'queries.jsonl'));
  const stores = [...new Set(rows.map(({ store }) => store))];
  return stores.map((store) => ({
    store,
    rows: rows.filter((row) => row.store === store),
    queries: queries.filter((query) => query.store === store && query.type !== UNANSWERABLE),
  }));
};

export const readLines = async <T>(file: string): Promise<T[]> => {
  const parsed: T[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    if (line.trim() !== '') parsed.push(JSON.parse(line) as T);
  }
  return parsed;
};
