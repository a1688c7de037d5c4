import { Contestant, type ContestLoad } from './contestant.ts';
import { loadedEntities, loaderEntity } from './load/load-requests.ts';
import { runBatches } from './load/run-batches.ts';
import { peakMemoryMiB, type ServerProcess } from './processes/child-process.ts';
import { startCeiling } from './processes/start-ceiling.ts';
import { startNode } from './processes/start-node.ts';
import { untilIdle } from './processes/until-idle.ts';
import { figure, printTable, share } from './report/print-table.ts';

/** The number of facts in the small store: a multiple of the group size of the loader and of the batch size. */
const SMALL = 10_000;
/** The number of entities in the repeated queries. Their answers fit into the cache. */
const FEW = 500;
const THROUGHPUT_CONNECTIONS = 32;
const WARM_UP_SECONDS = 1;

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

/** Returns the size of an answer in bytes, after a check of its content. */
const answerBytes = async (node: ServerProcess, perEntity: number): Promise<number> => {
  const url = `http://127.0.0.1:${node.port}/v1/facts?entity=${loaderEntity(0)}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${node.key}` } });
  const body = await answer.text();
  const { total } = JSON.parse(body) as { total: number };
  if (total !== perEntity) throw new Error(`an entity has ${total} facts instead of ${perEntity}`);
  return Buffer.byteLength(body);
};

interface Stores {
  readonly small: Measured;
  readonly large: Measured;
  /** The large store, with queries for a few of its entities. */
  readonly few: Measured;
}

const report = ({ small, large, few }: Stores, bare: Measured): void => {
  const rows = [small, large, few, bare].flatMap(({ alone, many }) => [alone.row(), many.row()]);
  printTable(Contestant.HEADING, rows);
  const growth = large.alone.latency('p50Ms') / small.alone.latency('p50Ms');
  console.log(`p50 on the large store / p50 on the small one: ${figure(growth, 2)}`);
  for (const { many } of [small, large, few]) {
    const rate = share(many.requestsPerSecond, bare.many.requestsPerSecond);
    const { cpuPerRequest: bareCpu } = bare.many;
    const processor = many.cpuPerRequest === null || bareCpu === null ? '' : `, ${share(bareCpu, many.cpuPerRequest)}`;
    console.log(`${many.name}, share of the rate of bare koa + router, and by processor time: ${rate}${processor}`);
  }
};

/**
 * Measures entity queries on a small and a large store in one run, and the memory of the process on the large store.
 * Compares them with koa and its router alone, for answers of the same size.
 */
export const benchQuery = async ({ facts, perEntity, seconds }: QueryOptions): Promise<void> => {
  const node = await startNode();
  let ceiling: ServerProcess | undefined;
  try {
    await runBatches(node, { from: 0, to: SMALL, perEntity });
    // Waits for background embedding, which another bench measures.
    await untilIdle(node);
    const small = await measure(`${figure(SMALL)} facts`, node, loadedEntities(SMALL, perEntity), seconds);
    const loadedIn = await runBatches(node, { from: SMALL, to: facts, perEntity });
    const memory = peakMemoryMiB(node.pid);
    await untilIdle(node);
    const entities = loadedEntities(facts, perEntity);
    const large = await measure(`${figure(facts)} facts`, node, entities, seconds);
    const few = await measure(`${figure(FEW)} of its entities`, node, Math.min(FEW, entities), seconds);
    ceiling = await startCeiling({ answerBytes: await answerBytes(node, perEntity) });
    const bare = await measure('bare koa + router', ceiling, entities, seconds, '/bare');
    console.log(`GET /v1/facts?entity=, facts in an answer: ${perEntity}`);
    report({ small, large, few }, bare);
    console.log(`loaded ${figure(facts - SMALL)} facts at ${figure((facts - SMALL) / loadedIn)} facts/s`);
    console.log(
      `peak memory of the node: ${figure(memory)} MiB loaded, ${figure(peakMemoryMiB(node.pid))} MiB queried`,
    );
  } finally {
    await Promise.all([node.stop(), ceiling?.stop()]);
  }
};
