import { Contestant, type ContestLoad } from './contestant.ts';
import { FACTS_PER_ENTITY, loaderEntity } from './load/load-requests.ts';
import { runBatches } from './load/run-batches.ts';
import { peakMemoryMiB, type ServerProcess } from './processes/child-process.ts';
import { startCeiling } from './processes/start-ceiling.ts';
import { startNode } from './processes/start-node.ts';
import { figure, printTable, share } from './report/print-table.ts';

const SMALL = 10_000;
const THROUGHPUT_CONNECTIONS = 32;
const WARM_UP_SECONDS = 1;

export interface QueryOptions {
  /** Facts in the large store. */
  readonly facts: number;
  readonly seconds: number;
}

const querying = (entities: number, connections: number, seconds: number, path = '/v1/facts'): ContestLoad => ({
  connections,
  seconds,
  expectedStatus: '200',
  requests: () => ({ kind: 'query', path, entities }),
});

/** Queries one entity after another, first alone on the connection for the latency, then with others for the rate. */
const measureQueries = async (name: string, server: ServerProcess, facts: number, seconds: number, path?: string) => {
  const entities = facts / FACTS_PER_ENTITY;
  const alone = new Contestant(`${name}, 1 connection`, server);
  const many = new Contestant(`${name}, ${THROUGHPUT_CONNECTIONS} connections`, server);
  await alone.warmUp(querying(entities, THROUGHPUT_CONNECTIONS, WARM_UP_SECONDS, path));
  await alone.measure(querying(entities, 1, seconds, path));
  await many.measure(querying(entities, THROUGHPUT_CONNECTIONS, seconds, path));
  return { alone, many };
};

const answerBytes = async (node: ServerProcess): Promise<number> => {
  const url = `http://127.0.0.1:${node.port}/v1/facts?entity=${loaderEntity(0)}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${node.key}` } });
  const body = await answer.text();
  const found = (JSON.parse(body) as { total: number }).total;
  if (found !== FACTS_PER_ENTITY) throw new Error(`the loader stored ${found} facts for an entity`);
  return Buffer.byteLength(body);
};

/** Entity queries on a small and a large store, the memory at the large one, and what koa and its router do alone. */
export const benchQuery = async ({ facts, seconds }: QueryOptions): Promise<void> => {
  const node = await startNode();
  let ceiling: ServerProcess | undefined;
  try {
    await runBatches(node, 0, SMALL);
    const small = await measureQueries(`node, ${figure(SMALL)} facts`, node, SMALL, seconds);
    const loadedIn = await runBatches(node, SMALL, facts);
    const large = await measureQueries(`node, ${figure(facts)} facts`, node, facts, seconds);
    ceiling = await startCeiling(await answerBytes(node));
    const bare = await measureQueries('bare koa + router', ceiling, facts, seconds, '/bare');
    console.log(`GET /v1/facts?entity=, ${FACTS_PER_ENTITY} facts an answer`);
    printTable(
      Contestant.HEADING,
      [small, large, bare].flatMap(({ alone, many }) => [alone.row(), many.row()]),
    );
    const growth = large.alone.latency('p50Ms') / small.alone.latency('p50Ms');
    console.log(`p50 at ${figure(facts)} / p50 at ${figure(SMALL)}: ${figure(growth, 2)}`);
    console.log(`node / bare koa + router: ${share(large.many.requestsPerSecond, bare.many.requestsPerSecond)}`);
    console.log(`peak memory of the node at ${figure(facts)} facts: ${figure(peakMemoryMiB(node.pid), 0)} MiB`);
    console.log(
      `loaded ${figure(facts - SMALL)} facts in ${figure(loadedIn)} s: ${figure((facts - SMALL) / loadedIn)} facts/s`,
    );
  } finally {
    await Promise.all([node.stop(), ceiling?.stop()]);
  }
};
