import { Contestant, type ContestLoad } from './contestant.ts';
import { type BenchPlace, type BenchStore, openPlace } from './processes/bench-place.ts';
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
  readonly store: BenchStore;
  /** Node processes on one store. */
  readonly processes: number;
}

const headingOf = ({ databaseCpuMs }: BenchPlace): readonly string[] =>
  databaseCpuMs === undefined ? Contestant.HEADING : Contestant.HEADING_WITH_DATABASE;

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
  const place = await openPlace(options.store);
  const started: Contestant[] = [];
  const contestant = (name: string, servers: ConstructorParameters<typeof Contestant>[1]): Contestant => {
    const entry = new Contestant(name, servers, place.databaseCpuMs);
    started.push(entry);
    return entry;
  };
  try {
    const ceiling = contestant('ceiling', await place.startCeiling());
    const node = contestant('node', await place.startNodes(options.processes));
    await takeTurns([ceiling, node], options);
    console.log(
      `POST /v1/facts on ${options.store}, ${options.connections} connections, processes of the node: ${options.processes}, ${ROUNDS} rounds by turns, ${CONTRADICTING * 100} % contradicting`,
    );
    printTable(headingOf(place), [ceiling.row(), node.row()]);
    const ratios = ceiling.rates.map((rate, round) => (100 * (node.rates[round] ?? 0)) / rate);
    console.log(`node / ceiling: ${share(node.requestsPerSecond, ceiling.requestsPerSecond)}`);
    console.log(`round by round: ${ratios.map((ratio) => figure(ratio)).join(', ')} %`);
  } finally {
    await Promise.all(started.map((entry) => entry.stop()));
    await place.close();
  }
};

/** The batch endpoint against a bare multi-row insert into a table with the same columns and indexes. */
export const benchBatch = async (options: AppendOptions): Promise<void> => {
  const place = await openPlace(options.store);
  const nodes = await place.startNodes(options.processes);
  const node = new Contestant('node, requests', nodes, place.databaseCpuMs);
  const loading: ContestLoad = {
    connections: BATCH_CONNECTIONS,
    seconds: options.seconds / ROUNDS,
    expectedStatus: '200',
    requests: (first) => ({ kind: 'batch', first, size: BATCH_SIZE, perEntity: 1 }),
  };
  const bare: number[] = [];
  try {
    await node.warmUp(loading);
    const insert = await place.bareInsert(nodes, SAMPLE_ROWS, BATCH_SIZE);
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(await insert());
      await node.measure(loading);
    }
  } finally {
    await node.stop();
    await place.close();
  }
  const bareRate = bare.reduce((sum, rate) => sum + rate, 0) / bare.length;
  const nodeRate = node.requestsPerSecond * BATCH_SIZE;
  console.log(
    `POST /v1/facts/batch on ${options.store}, ${BATCH_SIZE} facts a request, ${BATCH_CONNECTIONS} connections, ${ROUNDS} rounds by turns`,
  );
  printTable(headingOf(place), [node.row()]);
  console.log(`bare multi-row insert: ${figure(bareRate)} facts/s; node: ${figure(nodeRate)} facts/s`);
  console.log(`node / bare insert: ${share(nodeRate, bareRate)}`);
};
