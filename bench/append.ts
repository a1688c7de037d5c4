import { join } from 'node:path';
import { bareInsertRate, sampleFactTable } from './ceiling/bare-insert.ts';
import { Contestant, type ContestLoad } from './contestant.ts';
import { NODE_DATABASE } from './processes/launch-node.ts';
import { startCeiling } from './processes/start-ceiling.ts';
import { startNode } from './processes/start-node.ts';
import { figure, printTable, share } from './report/print-table.ts';

/** Every fiftieth assertion contradicts the one before it, so that conflict rows are part of what is measured. */
const CONTRADICTING = 0.02;
const ROUNDS = 5;
/** Long enough for the compiler of the runtime to settle on both sides: what is measured is a server in service. */
const WARM_UP_SECONDS = 5;
const BATCH_SIZE = 500;
const BATCH_CONNECTIONS = 4;
const SAMPLE_ROWS = 40_000;

export interface AppendOptions {
  readonly connections: number;
  /** Measured time for each side, spread over the rounds. */
  readonly seconds: number;
}

const asserting = ({ connections }: AppendOptions, seconds: number): ContestLoad => ({
  connections,
  seconds,
  expectedStatus: '201',
  requests: (first) => ({ kind: 'append', first, contradicting: CONTRADICTING }),
});

/** Ceiling and node by turns, each first in every other round: what disturbs the machine disturbs both. */
const takeTurns = async (contestants: readonly Contestant[], options: AppendOptions): Promise<void> => {
  for (const contestant of contestants) await contestant.warmUp(asserting(options, WARM_UP_SECONDS));
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? contestants : [...contestants].reverse();
    for (const contestant of order) await contestant.measure(asserting(options, options.seconds / ROUNDS));
  }
};

/** Durable single assertions: the node with everything on, against the bare prototype on the same driver. */
export const benchAppend = async (options: AppendOptions): Promise<void> => {
  const ceiling = new Contestant('ceiling', await startCeiling());
  const node = new Contestant('node', await startNode());
  try {
    await takeTurns([ceiling, node], options);
  } finally {
    await Promise.all([ceiling.server.stop(), node.server.stop()]);
  }
  console.log(
    `POST /v1/facts, ${options.connections} connections, ${ROUNDS} rounds by turns, ${CONTRADICTING * 100} % contradicting`,
  );
  printTable(Contestant.HEADING, [ceiling.row(), node.row()]);
  const ratios = ceiling.rates.map((rate, round) => (100 * (node.rates[round] ?? 0)) / rate);
  console.log(`node / ceiling: ${share(node.requestsPerSecond, ceiling.requestsPerSecond)}`);
  console.log(`round by round: ${ratios.map((ratio) => figure(ratio)).join(', ')} %`);
};

/** The batch endpoint against a bare multi-row insert into a table with the same columns and indexes. */
export const benchBatch = async (options: AppendOptions): Promise<void> => {
  const node = new Contestant('node, requests', await startNode());
  const loading: ContestLoad = {
    connections: BATCH_CONNECTIONS,
    seconds: options.seconds / ROUNDS,
    expectedStatus: '200',
    requests: (first) => ({ kind: 'batch', first, size: BATCH_SIZE, perEntity: 1 }),
  };
  const bare: number[] = [];
  try {
    await node.warmUp(loading);
    const sample = sampleFactTable(join(node.server.folder, NODE_DATABASE), SAMPLE_ROWS);
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(bareInsertRate(node.server.folder, sample, BATCH_SIZE));
      await node.measure(loading);
    }
  } finally {
    await node.server.stop();
  }
  const bareRate = bare.reduce((sum, rate) => sum + rate, 0) / bare.length;
  const nodeRate = node.requestsPerSecond * BATCH_SIZE;
  console.log(
    `POST /v1/facts/batch, ${BATCH_SIZE} facts a request, ${BATCH_CONNECTIONS} connections, ${ROUNDS} rounds by turns`,
  );
  printTable(Contestant.HEADING, [node.row()]);
  console.log(`bare multi-row insert: ${figure(bareRate)} facts/s; node: ${figure(nodeRate)} facts/s`);
  console.log(`node / bare insert: ${share(nodeRate, bareRate)}`);
};
