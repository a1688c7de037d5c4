import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { loadFacts } from '../../bench/recall/load-facts.ts';
import { questionWords, spell, syntheticRow } from '../../bench/recall/synthetic-facts.ts';
import { median } from '../../bench/report/median.ts';
import { rowToFact } from '../../bench/row-to-fact.ts';
import { count } from '../crash/crash-counts.ts';
import { type NodeProcess, NodeProcesses } from '../kit/node-processes.ts';

const MINUTES = count('SVC_TEST_SOAK_MINUTES', 0, 60);
/** Whole sessions of the synthetic memory. */
const FACTS = count('SVC_TEST_SOAK_FACTS', 20_000, 20_000);
const CONNECTIONS = 4;
const SAMPLES = 120;
/** Memory varies by some tens of mebibytes between two collections of garbage. A leak grows for as long as the soak. */
const MOST_GROWTH = 1.1;
/** The goal for a node with a million facts under reads. */
const MOST_MIB_OF_A_MILLION = 1_024;

describe('A node under mixed reads for an hour', () => {
  it('takes no more memory in the last quarter than in the second, and loses no request', async function () {
    if (MINUTES === 0 || process.platform !== 'linux') {
      console.log('      the soak is left out: it belongs to the long run on Linux, and to "npm run test:soak"');
      return;
    }
    this.timeout(MINUTES * 60_000 + 3_600_000);
    const nodes = await NodeProcesses.on('sqlite');
    try {
      const [node] = (await nodes.start(1)) as [NodeProcess];
      await loadFacts(node, 0, FACTS);
      const { sizes, failed } = await readUnderLoad(node, MINUTES * 60_000);
      const [, second, , last] = quarters(sizes).map(median) as [number, number, number, number];
      console.log(
        `      median of resident MiB: ${second.toFixed(0)} in the second quarter, ${last.toFixed(0)} in the last`,
      );
      expect(failed).to.deep.equal([]);
      expect(last / second).to.be.at.most(MOST_GROWTH);
      if (FACTS >= 1_000_000) expect(Math.max(...sizes)).to.be.at.most(MOST_MIB_OF_A_MILLION);
    } finally {
      await nodes.stop();
    }
  });
});

/** Reads by several connections for this time. Returns the size of the process along the way, and failed replies. */
const readUnderLoad = async (
  node: NodeProcess,
  durationMs: number,
): Promise<{ readonly sizes: readonly number[]; readonly failed: readonly string[] }> => {
  const endMs = performance.now() + durationMs;
  const sizes: number[] = [];
  const failed: string[] = [];
  const sampling = setInterval(() => sizes.push(residentMiB(node)), durationMs / SAMPLES);
  const read = async (first: number): Promise<void> => {
    for (let at = first; performance.now() < endMs; at += CONNECTIONS) {
      const [method, path, body] = requestOf(at);
      const { status } = await node.request(method, path, body);
      if (status >= 300) failed.push(`${status} for ${method} ${path}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, first) => read(first)));
  clearInterval(sampling);
  return { sizes, failed };
};

/** Returns another question or entity each time, so that no cache has the answer. */
const requestOf = (at: number): readonly [method: string, path: string, body?: unknown] => {
  const entity = encodeURIComponent(rowToFact(syntheticRow((at * 7) % FACTS)).body.entity);
  switch (at % 4) {
    case 0:
      return ['POST', '/v1/recall', { query: spell(questionWords(at, FACTS)), token_budget: 2_000 }];
    case 1:
      return ['GET', `/v1/facts?entity=${entity}`];
    case 2:
      return ['GET', `/v1/cards/${entity}?scope=local`];
    default:
      return ['GET', `/v1/facts?limit=50&source=agent:${at}`];
  }
};

const residentMiB = ({ child }: NodeProcess): number => {
  const status = readFileSync(`/proc/${child.pid}/status`, 'latin1');
  return Number(/VmRSS:\s+([0-9]+) kB/.exec(status)?.[1]) / 1_024;
};

const quarters = (sizes: readonly number[]): number[][] =>
  [0, 1, 2, 3].map((at) => sizes.slice((at * sizes.length) / 4, ((at + 1) * sizes.length) / 4));
