import { join } from 'node:path';
import { Contestant, type ContestLoad } from './contestant.ts';
import { loadedEntities, loaderEntity } from './load/load-requests.ts';
import { runBatches } from './load/run-batches.ts';
import { peakMemoryMiB, type ServerProcess } from './processes/child-process.ts';
import { startCeiling, startReadCeiling } from './processes/start-ceiling.ts';
import { type NodeProcess, startNode, startNodeIn } from './processes/start-node.ts';
import { untilIdle } from './processes/until-idle.ts';
import { figure, printTable, share } from './report/print-table.ts';
import { monotonicUs, printByModule } from './report/profile-by-module.ts';

/** The number of facts in the small store: a multiple of the group size of the loader and of the batch size. */
const SMALL = 10_000;
/** The number of entities in the repeated queries. Their answers fit into the cache. */
const FEW = 500;
const THROUGHPUT_CONNECTIONS = 32;
const WARM_UP_SECONDS = 1;
/** The number of turns of a node without cached answers and of the bare statement. */
const ROUNDS = 3;
/** The same on every machine. */
const CACHE = { SVC_CACHE_MIB: '80' };
/** The number of passes over all entities that no run exceeds. */
const PASSES_OF_RUN = 120;

export interface QueryOptions {
  /** The number of facts in the large store. */
  readonly facts: number;
  /** The number of facts in each answer. */
  readonly perEntity: number;
  /** Seconds for each measurement. */
  readonly seconds: number;
}

const querying = (entities: number, connections: number, seconds: number, path = '/v1/facts'): ContestLoad => ({
  connections,
  seconds,
  expectedStatus: '200',
  requests: () => ({ kind: 'query', path, entities }),
});

interface Measured {
  readonly alone: Contestant;
  readonly many: Contestant;
}

/** Queries one entity after another: first over a single connection for the latency, then over several for the rate. */
const measure = async (
  name: string,
  server: ServerProcess,
  entities: number,
  seconds: number,
  path?: string,
): Promise<Measured> => {
  const alone = new Contestant(`${name}, 1 connection`, server);
  const many = new Contestant(`${name}, ${THROUGHPUT_CONNECTIONS} connections`, server);
  await alone.warmUp(querying(entities, THROUGHPUT_CONNECTIONS, WARM_UP_SECONDS, path));
  await alone.measure(querying(entities, 1, seconds, path));
  await many.measure(querying(entities, THROUGHPUT_CONNECTIONS, seconds, path));
  return { alone, many };
};

/** Returns a function that makes a load of questions which no earlier load of it has asked. */
const newQuestions = (entities: number, seconds: number): (() => ContestLoad) => {
  let firstLimit = 10;
  return () => {
    const requests = { kind: 'query', path: '/v1/facts', entities, firstLimit } as const;
    firstLimit += PASSES_OF_RUN;
    return { ...querying(entities, THROUGHPUT_CONNECTIONS, seconds), requests: () => requests };
  };
};

/** Returns the size of an answer in bytes, after a check of its content. */
const answerBytes = async (node: ServerProcess, perEntity: number): Promise<number> => {
  const url = `http://127.0.0.1:${node.port}/v1/facts?entity=${loaderEntity(0)}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${node.key}` } });
  const body = await answer.text();
  const { total } = JSON.parse(body) as { total: number };
  if (total !== perEntity) throw new Error(`an entity has ${total} facts instead of ${perEntity}`);
  return Buffer.byteLength(body);
};

/** A node without cached answers, and the bare statement on the same file. */
interface Uncached {
  readonly node: Contestant;
  readonly bare: Contestant;
}

/** Lets a node that caches no answers and the bare statement take turns on one store. Ends that node. */
const measureUncached = async (
  name: string,
  ended: NodeProcess,
  entities: number,
  seconds: number,
): Promise<Uncached> => {
  const [node, bare] = await Promise.all([ended.again(), startReadCeiling(ended.database)]);
  try {
    await untilIdle(node);
    const sides = {
      node: new Contestant(`${name}, uncached`, node),
      bare: new Contestant(`${name}, koa + router + SELECT`, bare),
    };
    const contestants = [sides.node, sides.bare].map((side) => ({ side, questions: newQuestions(entities, seconds) }));
    for (const { side, questions } of contestants) await side.warmUp(questions());
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { side, questions } of round % 2 === 0 ? contestants : contestants.toReversed()) {
        await side.measure(questions());
      }
    }
    return sides;
  } finally {
    await Promise.all([node.end(), bare.stop()]);
  }
};

/** Runs uncached queries under the profiler of the runtime, and prints their processor time by module. */
const profileUncached = async (folder: string, entities: number, seconds: number): Promise<void> => {
  const profiles = join(folder, 'profiles');
  const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const node = await startNodeIn(folder, { nodeOptions, env: CACHE });
  const profiled = new Contestant('profiled', node);
  const questions = newQuestions(entities, seconds);
  try {
    // The profiler itself keeps the node busier than `untilIdle` accepts. The store has nothing left to embed by now.
    await profiled.warmUp(questions());
    const fromUs = monotonicUs();
    await profiled.measure(questions());
    const toUs = monotonicUs();
    await node.end();
    printByModule(profiles, { fromUs, toUs, requests: Math.round(profiled.requestsPerSecond * seconds) });
  } finally {
    await node.end();
  }
};

interface Stores {
  readonly small: Measured;
  readonly large: Measured;
  /** The large store, with queries for a few of its entities. */
  readonly few: Measured;
  readonly uncached: readonly Uncached[];
}

const report = ({ small, large, few, uncached }: Stores, bare: Measured): void => {
  const measured = [small, large, few, bare].flatMap(({ alone, many }) => [alone, many]);
  const contestants = [...measured, ...uncached.flatMap(({ node, bare: statement }) => [node, statement])];
  printTable(
    Contestant.HEADING,
    contestants.map((contestant) => contestant.row()),
  );
  const growth = large.alone.latency('p50Ms') / small.alone.latency('p50Ms');
  console.log(`p50 on the large store / p50 on the small one: ${figure(growth, 2)}`);
  for (const { many } of [small, large, few]) printShare(many, bare.many, 'bare koa + router');
  for (const { node, bare: statement } of uncached) printShare(node, statement, 'koa + router + SELECT');
};

const printShare = (side: Contestant, bare: Contestant, bareName: string): void => {
  const rate = share(side.requestsPerSecond, bare.requestsPerSecond);
  const { cpuPerRequest: bareCpu } = bare;
  const processor = side.cpuPerRequest === null || bareCpu === null ? '' : `, ${share(bareCpu, side.cpuPerRequest)}`;
  console.log(`${side.name}, share of the rate of ${bareName}, and by processor time: ${rate}${processor}`);
};

/**
 * Measures entity queries on a small and a large store in one run, and the memory of the process on the large store.
 * Compares cached answers with koa and its router alone, for answers of the same size, and uncached ones with one
 * prepared statement on the same file.
 */
export const benchQuery = async ({ facts, perEntity, seconds }: QueryOptions): Promise<void> => {
  let node = await startNode({ env: CACHE });
  let ceiling: ServerProcess | undefined;
  const uncachedOf = async (name: string, entities: number): Promise<Uncached> => {
    await node.end();
    return measureUncached(name, node, entities, seconds);
  };
  try {
    await runBatches(node, { from: 0, to: SMALL, perEntity });
    // Waits for background embedding, which another bench measures.
    await untilIdle(node);
    const small = await measure(`${figure(SMALL)} facts`, node, loadedEntities(SMALL, perEntity), seconds);
    const smallUncached = await uncachedOf(`${figure(SMALL)} facts`, loadedEntities(SMALL, perEntity));
    node = await node.again();
    const loadedIn = await runBatches(node, { from: SMALL, to: facts, perEntity });
    const memory = peakMemoryMiB(node.pid);
    await untilIdle(node);
    const entities = loadedEntities(facts, perEntity);
    const large = await measure(`${figure(facts)} facts`, node, entities, seconds);
    const few = await measure(`${figure(FEW)} of its entities`, node, Math.min(FEW, entities), seconds);
    const queried = peakMemoryMiB(node.pid);
    ceiling = await startCeiling({ answerBytes: await answerBytes(node, perEntity) });
    const bare = await measure('bare koa + router', ceiling, entities, seconds, '/bare');
    const uncached = [smallUncached, await uncachedOf(`${figure(facts)} facts`, entities)];
    console.log(`GET /v1/facts?entity=, facts in an answer: ${perEntity}`);
    report({ small, large, few, uncached }, bare);
    console.log(`loaded ${figure(facts - SMALL)} facts at ${figure((facts - SMALL) / loadedIn)} facts/s`);
    console.log(`peak memory of the node: ${figure(memory)} MiB loaded, ${figure(queried)} MiB queried`);
    await profileUncached(node.folder, entities, seconds);
  } finally {
    await Promise.all([node.stop(), ceiling?.stop()]);
  }
};
