import { Contestant, type ContestLoad } from './contestant.ts';
import { type BenchPlace, type BenchStore, openPlace } from './processes/bench-place.ts';
import type { ServerProcess } from './processes/child-process.ts';
import { bytesPerFact, type StoreSize, storeSize } from './processes/store-size.ts';
import { figure, printTable, share } from './report/print-table.ts';
import { sidesOfRound } from './sides-of-round.ts';

/** Every fiftieth assertion contradicts the one before it, so that the measurement includes conflict rows. */
const CONTRADICTING = 0.02;
const ROUNDS = 5;
/** The time until the runtime's compiler has optimised both sides, because the bench compares servers in steady use. */
const WARM_UP_SECONDS = 5;
const BATCH_SIZE = 500;
const BATCH_CONNECTIONS = 4;
const SAMPLE_ROWS = 40_000;

export interface AppendOptions {
  readonly connections: number;
  /** Seconds of measured time for each side, over all rounds. */
  readonly seconds: number;
  readonly store: BenchStore;
  /** The number of node processes that share one store. */
  readonly processes: number;
  /** The folder of another built checkout. Its node takes turns with the node of this checkout. */
  readonly against?: string;
  /** The layout of the SQLite writer. A node with this layout takes turns with a node that has the other layout. */
  readonly writer?: SqliteLayout;
  /** A node with search in PostgreSQL takes turns with one that has no search. */
  readonly search?: boolean;
}

export type SqliteLayout = 'inline' | 'thread';

const NO_SEARCH = { config: { plugins: { search: false, recall: false, instructions: false } } };

/** A service under comparison, with a store of its own. */
interface Side {
  readonly contestant: Contestant;
  readonly servers: readonly ServerProcess[];
  /** The size of the store when the service started. */
  readonly empty: StoreSize;
}

const databaseOf = ({ servers }: Pick<Side, 'servers'>): string => servers[0]?.database ?? '';

/** Starts the services, and stops the started ones when a later step fails. */
const withSides = async (
  { store, search = false }: AppendOptions,
  work: (place: BenchPlace, open: OpenSide) => Promise<void>,
): Promise<void> => {
  const place = await openPlace(store, search ? 'postgres' : 'memory');
  const started: Contestant[] = [];
  try {
    await work(place, async (name, servers) => {
      const contestant = new Contestant(name, servers, place.databaseCpuMs);
      started.push(contestant);
      return { contestant, servers, empty: await storeSize(databaseOf({ servers })) };
    });
  } finally {
    await Promise.all(started.map((contestant) => contestant.stop()));
    await place.close();
  }
};

type OpenSide = (name: string, servers: readonly ServerProcess[]) => Promise<Side>;

/** Starts the node of this checkout, and the nodes to compare it with. */
const openNodes = async (place: BenchPlace, open: OpenSide, options: AppendOptions): Promise<[Side, ...Side[]]> => {
  const { processes, against, writer, search } = options;
  const node =
    writer === undefined
      ? await open('node', await place.startNodes({ processes }))
      : await openLayout(place, open, writer);
  const others: Side[] = [];
  if (writer !== undefined) others.push(await openLayout(place, open, writer === 'thread' ? 'inline' : 'thread'));
  if (search === true) others.push(await open('node, no search', await place.startNodes({ processes, ...NO_SEARCH })));
  if (against !== undefined) {
    others.push(await open('node against', await place.startNodes({ processes, checkout: against })));
  }
  return [node, ...others];
};

const openLayout = async (place: BenchPlace, open: OpenSide, layout: SqliteLayout): Promise<Side> =>
  open(`node, ${layout}`, await place.startNodes({ env: { SVC_SQLITE_WRITER: layout } }));

const printSides = async (place: BenchPlace, sides: readonly Side[]): Promise<void> => {
  const heading = place.databaseCpuMs === undefined ? Contestant.HEADING : Contestant.HEADING_WITH_DATABASE;
  const rows: string[][] = [];
  for (const side of sides) {
    const perFact = bytesPerFact(side.empty, await storeSize(databaseOf(side)));
    rows.push([...side.contestant.row(), figure(perFact)]);
  }
  printTable([...heading, 'bytes/fact'], rows);
};

const asserting = ({ connections }: AppendOptions, seconds: number): ContestLoad => ({
  connections,
  seconds,
  expectedStatus: '201',
  requests: (first) => ({ kind: 'append', first, contradicting: CONTRADICTING }),
});

const takeTurns = async (sides: readonly Side[], options: AppendOptions): Promise<void> => {
  for (const { contestant } of sides) await contestant.warmUp(asserting(options, WARM_UP_SECONDS));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { contestant } of sidesOfRound(sides, round)) {
      await contestant.measure(asserting(options, options.seconds / ROUNDS));
    }
  }
};

const printRatio = ({ contestant: side }: Side, { contestant: other }: Side): void => {
  const ratios = other.rates.map((rate, round) => figure((100 * (side.rates[round] ?? 0)) / rate));
  const ratio = share(side.requestsPerSecond, other.requestsPerSecond);
  console.log(`${side.name} / ${other.name}: ${ratio} (rounds: ${ratios.join(', ')})`);
};

/** Compares durable single assertions of a node with everything on and of the bare prototypes on the same driver. */
export const benchAppend = (options: AppendOptions): Promise<void> =>
  withSides(options, async (place, open) => {
    const ceilings = [
      await open('ceiling, one row', [await place.startCeiling('one-row')]),
      await open('ceiling, two rows', [await place.startCeiling('two-rows')]),
    ];
    const [node, ...others] = await openNodes(place, open, options);
    const sides = [...ceilings, node, ...others];
    await takeTurns(sides, options);
    console.log(
      `POST /v1/facts on ${options.store}, ${options.connections} connections, processes of the node: ${options.processes}, ${ROUNDS} rounds by turns, ${CONTRADICTING * 100} % contradicting`,
    );
    await printSides(place, sides);
    for (const side of [node, ...others]) for (const ceiling of ceilings) printRatio(side, ceiling);
    for (const other of others) printRatio(node, other);
  });

/** Compares the batch endpoint with a bare multi-row insert into a table that has the same columns and indexes. */
export const benchBatch = (options: AppendOptions): Promise<void> =>
  withSides(options, async (place, open) => {
    const sides = await openNodes(place, open, options);
    const loading: ContestLoad = {
      connections: BATCH_CONNECTIONS,
      seconds: options.seconds / ROUNDS,
      expectedStatus: '200',
      requests: (first) => ({ kind: 'batch', first, size: BATCH_SIZE, perEntity: 1 }),
    };
    const entries: BatchEntry[] = [];
    for (const side of sides) {
      await side.contestant.warmUp(loading);
      const insert = await place.bareInsert(side.servers[0] as ServerProcess, SAMPLE_ROWS, BATCH_SIZE);
      entries.push({ side, insert, rates: [] });
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { side, insert, rates } of entries) {
        rates.push(await insert());
        await side.contestant.measure(loading);
      }
    }
    console.log(
      `POST /v1/facts/batch on ${options.store}, ${BATCH_SIZE} facts a request, ${BATCH_CONNECTIONS} connections, ${ROUNDS} rounds by turns`,
    );
    await printSides(place, sides);
    for (const entry of entries) printBatchRatio(entry);
  });

interface BatchEntry {
  readonly side: Side;
  /** Runs a bare insert of rows that were copied from the store of this side. */
  readonly insert: () => Promise<number>;
  readonly rates: number[];
}

const printBatchRatio = ({ side: { contestant }, rates }: BatchEntry): void => {
  const bareRate = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  const rate = contestant.requestsPerSecond * BATCH_SIZE;
  console.log(`${contestant.name}: ${figure(rate)} facts/s; bare multi-row insert: ${figure(bareRate)} facts/s`);
  console.log(`${contestant.name} / bare insert: ${share(rate, bareRate)}`);
};
