import { DEPTH_OF_BOTH } from '../../plugins/recall/search-depth.ts';
import { createBareLexical } from '../ceiling/bare-lexical.ts';
import { createBareVectorScan } from '../ceiling/bare-vector-scan.ts';
import type { NodeProcess } from '../processes/start-node.ts';
import { vacuumStore } from '../processes/vacuum-store.ts';
import type { LatencyTable } from './latency-table.ts';
import { openPostgresStages } from './postgres-stages.ts';
import { openSearchStages } from './search-stages.ts';
import { factWords, questionWords, spell, WORDS_IN_USE } from './synthetic-facts.ts';

/** The row that a whole recall is compared with: its stages one after another, without the rest of the node. */
export const BARE_STAGES = 'bare stages';
/**
 * The row that a whole recall of search in PostgreSQL is compared with: pgvector's own scan of all vectors, and the
 * search by words.
 */
export const SCAN_AND_WORDS = 'exact scan, words';

/** One size of a store, and the processes that serve it. */
export interface Asked {
  readonly facts: number;
  readonly dimensions: number;
  readonly workers: number;
  readonly questions: number;
  readonly stages: (node: NodeProcess, asked: Asked, table: LatencyTable) => Promise<void>;
}

export const askedOf = ({ facts, questions }: Asked): number[][] =>
  Array.from({ length: questions }, (_, at) => questionWords(at, facts));

/** Half as many other questions. */
export const warmingOf = ({ facts, questions }: Asked): number[][] =>
  Array.from({ length: questions / 2 }, (_, at) => questionWords(questions + at, facts));

/** Runs the stages in this process. The node has been stopped, because both would share the cores. */
export const inProcess: Asked['stages'] = async ({ folder }, asked, table) => {
  const { facts, dimensions } = asked;
  const stages = await openSearchStages(folder, dimensions);
  const bareWords = createBareLexical(facts, WORDS_IN_USE, factWords);
  const rowBytes = dimensions / 8;
  const bareVectors = createBareVectorScan(randomSigns(facts * rowBytes), rowBytes);
  const sign = randomSigns(rowBytes);
  await eachQuestion(asked, table, BARE_STAGES, async (words, time) => {
    const query = spell(words);
    const found = await time('lexical stage', () => stages.lexical(query));
    await time('bare lexical', () => bareWords.run(words, DEPTH_OF_BOTH), false);
    const [vector] = await time('embedding of the query', () => stages.embedder.embed([query], 'query'));
    await time('vector stage', () => stages.vector(vector as Float32Array));
    await time('bare vector scan', () => bareVectors.run(sign), false);
    await time('session neighbours', () => stages.besides(found));
  });
};

/** Runs the stages of search in PostgreSQL, and the scan of pgvector alone. */
export const inDatabase: Asked['stages'] = async ({ database }, asked, table) => {
  await vacuumStore({ database });
  const stages = await openPostgresStages(database, asked.dimensions);
  await eachQuestion(asked, table, SCAN_AND_WORDS, async (words, time) => {
    const query = spell(words);
    const [vector] = await stages.embedder.embed([query], 'query');
    const found = await time('words', () => stages.lexical(query));
    const near = await time('vectors', () => stages.vector(vector as Float32Array), false);
    await time('exact scan', () => stages.scan(vector as Float32Array));
    await time('spread and feedback', () => stages.spread(vector as Float32Array, [...found, ...near]), false);
    await time('session neighbours', () => stages.besides(found), false);
  });
  await stages.close();
};

type Time = <T>(name: string, work: () => T | Promise<T>, isStage?: boolean) => Promise<T>;

/** Runs some work for each question, and adds the sum of its stages under a name. */
const eachQuestion = async (
  asked: Asked,
  table: LatencyTable,
  sum: string,
  work: (words: readonly number[], time: Time) => Promise<void>,
): Promise<void> => {
  const { facts } = asked;
  const warm = warmingOf(asked);
  for (const [at, words] of [...warm, ...askedOf(asked)].entries()) {
    let stagesMs = 0;
    const time: Time = async (name, run, isStage = true) => {
      const began = performance.now();
      const result = await run();
      const ms = performance.now() - began;
      if (at >= warm.length) table.add(facts, name, ms);
      if (isStage) stagesMs += ms;
      return result;
    };
    await work(words, time);
    if (at >= warm.length) table.add(facts, sum, stagesMs);
  }
};

/** Returns random signs, because the time of a scan does not depend on their values. */
const randomSigns = (bytes: number): Uint8Array => {
  const signs = new Uint8Array(bytes);
  let state = 1;
  for (let at = 0; at < bytes; at += 1) {
    state = Math.imul(state, 1664525) + 1013904223;
    signs[at] = state >>> 24;
  }
  return signs;
};
