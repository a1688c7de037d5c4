import { Contestant, type ContestLoad } from './contestant.ts';
import { compareLists, differingPaths } from './ledgers/compare-answers.ts';
import { type LedgerRead, ledgerReads, pickSubjects } from './ledgers/ledger-reads.ts';
import { loadedEntities } from './load/load-requests.ts';
import { FACTS_PER_REQUEST, runBatches } from './load/run-batches.ts';
import { type BenchPlace, type BenchStore, openPlace } from './processes/bench-place.ts';
import type { ServerProcess } from './processes/child-process.ts';
import type { NodeProcess } from './processes/start-node.ts';
import { storeSize } from './processes/store-size.ts';
import { untilIdle } from './processes/until-idle.ts';
import { vacuumStore } from './processes/vacuum-store.ts';
import { figure, printTable } from './report/print-table.ts';
import { sidesOfRound } from './sides-of-round.ts';

const PER_ENTITY = 10;
const ROUNDS = 3;
const WARM_UP_SECONDS = 0.2;
/** The share of facts that a second key asserts. */
const SECOND_SHARE = 0.05;
const SECOND_KEY = 'bench-second-0123456789abcdef0123456789abcdef';
const SECOND_WRITER = 'agent:second';
const MIGRATION_LIMIT_MS = 7_200_000;

export interface LedgersOptions {
  readonly facts: number;
  readonly store: BenchStore;
  /** Seconds for each measurement of each read. */
  readonly seconds: number;
  /** The folder of another built checkout. Its node fills the store, and the node of this checkout migrates a copy. */
  readonly against?: string;
}

/** The lists that the bench reads from end to end when it compares two nodes. */
const WHOLE_LISTS = ['/v1/audit?limit=500', '/v1/auth/audit?limit=1000', '/v1/admin/billing/events?limit=1000'];

/** A node with its reads and their measurements. */
interface Reader {
  readonly name: string;
  readonly node: NodeProcess;
  readonly reads: readonly LedgerRead[];
  readonly measured: readonly Contestant[];
}

const registerSecond = async ({ port, key }: ServerProcess): Promise<void> => {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/auth/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ raw_key: SECOND_KEY, entity_uri: SECOND_WRITER }),
  });
  if (answer.status !== 201) throw new Error(`the second key was answered ${answer.status}: ${await answer.text()}`);
};

const fill = async (node: NodeProcess, facts: number): Promise<void> => {
  await registerSecond(node);
  const bySecond = Math.round((facts * (1 - SECOND_SHARE)) / FACTS_PER_REQUEST) * FACTS_PER_REQUEST;
  const seconds =
    (await runBatches(node, { from: 0, to: bySecond, perEntity: PER_ENTITY })) +
    (await runBatches({ ...node, key: SECOND_KEY }, { from: bySecond, to: facts, perEntity: PER_ENTITY }));
  console.log(`loaded ${figure(facts)} facts in ${figure(seconds)} s: ${figure(facts / seconds)} facts/s`);
};

const printSize = async (name: string, { database }: NodeProcess): Promise<void> => {
  const { bytes, facts } = await storeSize(database);
  console.log(`${name}: ${figure(bytes / 2 ** 20)} MiB, ${figure(bytes / facts)} bytes a fact`);
};

/** Starts the other checkout's node on the store that it has filled, and the node of this checkout on a copy. */
const openNodes = async (place: BenchPlace, options: LedgersOptions, started: NodeProcess[]): Promise<void> => {
  const { against: checkout, facts } = options;
  const [first] = await place.startNodes({ checkout });
  if (first === undefined) throw new Error('no node was started');
  started.push(first);
  await fill(first, facts);
  if (checkout === undefined) return;
  await first.end();
  const start = performance.now();
  const migrated = await place.startCopy(first, { startLimitMs: MIGRATION_LIMIT_MS });
  started.unshift(migrated);
  console.log(`copied and migrated in ${figure((performance.now() - start) / 1000, 1)} s`);
  started.splice(1, 1, await first.again());
};

const openReader = async (name: string, node: NodeProcess, facts: number): Promise<Reader> => {
  const subjects = await pickSubjects(node, loadedEntities(facts, PER_ENTITY), SECOND_WRITER);
  const reads = await ledgerReads(node, subjects);
  const measured = reads.map((read) => new Contestant(read.name, asking(node, read)));
  return { name, node, reads, measured };
};

const asking = (node: NodeProcess, { isOwn }: LedgerRead): NodeProcess =>
  isOwn === true ? { ...node, key: SECOND_KEY } : node;

const reading = ({ paths }: LedgerRead, seconds: number): ContestLoad => ({
  connections: 1,
  seconds,
  expectedStatus: '200',
  requests: () => ({ kind: 'read', paths }),
});

const compare = async (readers: readonly Reader[]): Promise<void> => {
  const [one, two] = readers;
  if (one === undefined || two === undefined) return;
  let compared = 0;
  for (const [at, read] of one.reads.entries()) {
    const paths = two.reads[at]?.paths ?? [];
    const differing = await differingPaths(asking(one.node, read), read.paths, asking(two.node, read), paths);
    compared += read.paths.length;
    for (const path of differing) console.log(`ANSWERS DIFFER: ${read.name}: ${path}`);
  }
  console.log(`answers compared: ${compared}`);
  for (const list of WHOLE_LISTS) {
    const { entries, difference } = await compareLists(one.node, two.node, list);
    console.log(`${list}: ${difference ?? `the same ${figure(entries)} entries`}`);
  }
};

/** Measures read by read. The nodes take turns, so that a disturbance of the machine affects both. */
const measureAll = async (readers: readonly Reader[], seconds: number): Promise<void> => {
  for (const at of readers[0]?.reads.keys() ?? []) {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { reads, measured } of sidesOfRound(readers, round)) {
        const [read, contestant] = [reads[at] as LedgerRead, measured[at] as Contestant];
        if (round === 0) await contestant.warmUp(reading(read, WARM_UP_SECONDS));
        await contestant.measure(reading(read, seconds / ROUNDS));
      }
    }
  }
};

const cellsOf = (contestant: Contestant | undefined): string[] =>
  contestant === undefined
    ? []
    : [
        figure(contestant.latency('p50Ms'), 2),
        figure(contestant.latency('p99Ms'), 2),
        figure(contestant.cpuPerRequest),
      ];

const report = (readers: readonly Reader[]): void => {
  const columns = ['p50 ms', 'p99 ms', 'cpu µs'];
  const [node, other] = readers;
  const heading = ['read', ...readers.flatMap(({ name }) => columns.map((column) => `${name}: ${column}`))];
  const rows = (node?.reads ?? []).map(({ name }, at) => {
    const cells = [name, ...readers.flatMap(({ measured }) => cellsOf(measured[at]))];
    const [mine, theirs] = [node?.measured[at]?.latency('p50Ms'), other?.measured[at]?.latency('p50Ms')];
    return mine === undefined || theirs === undefined ? cells : [...cells, figure(mine / theirs, 2)];
  });
  printTable(other === undefined ? heading : [...heading, 'p50 ratio'], rows);
};

/**
 * Measures reads of facts and derived data on a large store: audit, log and billing. With another checkout, its node
 * fills the store and the node of this checkout migrates a copy. Both answer the same requests, and the bench compares
 * the answers.
 */
export const benchLedgers = async (options: LedgersOptions): Promise<void> => {
  const place = await openPlace(options.store);
  const started: NodeProcess[] = [];
  try {
    await openNodes(place, options, started);
    const names = ['node', 'against'];
    const readers: Reader[] = [];
    for (const [at, node] of started.entries()) {
      readers.push(await openReader(names[at] ?? '', node, options.facts));
      await printSize(names[at] ?? '', node);
    }
    // Waits until the followers of facts have caught up after a start or a migration.
    for (const { node } of readers) {
      await untilIdle(node);
      await vacuumStore(node);
    }
    await compare(readers);
    await measureAll(readers, options.seconds);
    console.log(`reads on ${options.store}, ${figure(options.facts)} facts, 1 connection, ${ROUNDS} rounds by turns`);
    report(readers);
  } finally {
    await Promise.all(started.map((node) => node.stop()));
    await place.close();
  }
};
