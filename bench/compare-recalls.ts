import type { Contestant } from './contestant.ts';
import type { BenchStore } from './processes/bench-place.ts';
import { cpuMs, type ServerProcess } from './processes/child-process.ts';
import { untilIdle } from './processes/until-idle.ts';
import { LatencyTable } from './recall/latency-table.ts';
import { loadFacts } from './recall/load-facts.ts';
import { RecallClient } from './recall/recall-client.ts';
import { questionWords, spell } from './recall/synthetic-facts.ts';
import { share } from './report/print-table.ts';
import { sidesOfRound } from './sides-of-round.ts';

/** The number of turns of each side. */
export const ROUNDS = 5;
const QUESTIONS = 400;
const BUDGET = 2_000;

/** A node that a bench compares with one of other settings. */
export interface Side {
  readonly name: string;
  readonly contestant: Contestant;
  readonly node: ServerProcess;
}

/** Loads the same facts into both nodes, and compares their recalls by turns. The first side is the one without. */
export const compareRecalls = async (
  sides: readonly [Side, Side],
  { facts, store }: { readonly facts: number; readonly store: BenchStore },
): Promise<void> => {
  for (const { node } of sides) await loadFacts(node, 0, facts);
  const table = new LatencyTable(`${store}, recall`);
  const ask = (client: RecallClient, n: number) =>
    client.timeRecall({ query: spell(questionWords(n, facts)), token_budget: BUDGET });
  for (const { node } of sides) {
    const client = await RecallClient.open(node);
    for (let n = 0; n < QUESTIONS; n += 1) await ask(client, QUESTIONS + n);
    client.close();
    await untilIdle(node);
  }
  const spent = sides.map(() => 0);
  const part = QUESTIONS / ROUNDS;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of sidesOfRound(sides, round)) {
      const at = sides.indexOf(side);
      // A connection of its own, because a node closes one that rests for the turn of the other side.
      const client = await RecallClient.open(side.node);
      const before = cpuMs(side.node.pid);
      for (let n = round * part; n < (round + 1) * part; n += 1) {
        const ms = await ask(client, n);
        spent[at] = (spent[at] ?? 0) + ms;
        table.add(facts, side.name, ms);
      }
      client.close();
      // Work that follows the answers must not run in the turn of the other side.
      await untilIdle(side.node);
      const after = cpuMs(side.node.pid);
      if (before !== null && after !== null) table.addCpu(facts, side.name, after - before);
    }
  }
  table.print();
  console.log(`speed of recall, on / off: ${share(spent[0] ?? 0, spent[1] ?? 0)}`);
};
