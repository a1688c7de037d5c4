import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { COPIED_SETTINGS, type PostgresProcess, startPostgres, startStandby } from '../test/kit/postgres-process.ts';
import { loadedEntities } from './load/load-requests.ts';
import { runBatches } from './load/run-batches.ts';
import { runLoad } from './load/run-load.ts';
import { cpuMs } from './processes/child-process.ts';
import { postgresCpuMs, postgresServerPid } from './processes/postgres-cpu.ts';
import { type NodeProcess, startNode } from './processes/start-node.ts';
import { untilIdle } from './processes/until-idle.ts';
import { figure, printTable } from './report/print-table.ts';

export interface ReplicasOptions {
  readonly facts: number;
  readonly connections: number;
  readonly seconds: number;
  readonly rounds: number;
}

const PER_ENTITY = 10;
const WARM_UP_SECONDS = 1;
/** The time for which background work is measured alone, so that the figures can leave it out. */
const IDLE_MS = 2_000;

/** The processor time of one side so far, in milliseconds. */
interface Spent {
  requests: number;
  nodeMs: number;
  primaryMs: number;
  replicaMs: number;
}

/**
 * Compares the processor time of entity queries without and with a replica, by turns: that of the node, of the primary
 * and of the replica.
 */
export const benchReplicas = async ({ facts, connections, seconds, rounds }: ReplicasOptions): Promise<void> => {
  const primary = await startPostgres(COPIED_SETTINGS);
  const replica = await startStandby(primary);
  const nodes: NodeProcess[] = [];
  try {
    const alone = await startNode({ env: { SVC_DB_PATH: undefined, SVC_DATABASE_URL: primary.url } });
    nodes.push(alone);
    await runBatches(alone, { from: 0, to: facts, perEntity: PER_ENTITY });
    await untilIdle(alone);
    const shared = { SVC_DATABASE_URL: primary.url, SVC_DATABASE_REPLICA_URLS: replica.url };
    const folder = { SVC_DB_PATH: undefined, SVC_DATA_FOLDER: `${alone.folder}/data` };
    const helped = await startNode({ env: { ...shared, ...folder } });
    nodes.push(helped);
    const [primaryPid, replicaPid] = [await serverPid(primary), await serverPid(replica)];
    const sides = [
      { name: 'primary alone', node: alone, spent: { requests: 0, nodeMs: 0, primaryMs: 0, replicaMs: 0 } },
      { name: 'with a replica', node: helped, spent: { requests: 0, nodeMs: 0, primaryMs: 0, replicaMs: 0 } },
    ];
    const query = { kind: 'query', path: '/v1/facts', entities: loadedEntities(facts, PER_ENTITY) } as const;
    const load = (node: NodeProcess, forSeconds: number) =>
      runLoad({ ports: [node.port], key: alone.key, connections, seconds: forSeconds, requests: query });
    for (const { node } of sides) await load(node, WARM_UP_SECONDS);
    for (let round = 0; round < rounds; round += 1) {
      for (const { node, spent } of sides) {
        const now = (): number[] => [cpuMs(node.pid), postgresCpuMs(primaryPid), postgresCpuMs(replicaPid)].map(Number);
        const idleFrom = now();
        await sleep(IDLE_MS);
        const before = now();
        const idle = before.map((ms, at) => (ms - (idleFrom[at] ?? 0)) / IDLE_MS);
        const fromMs = performance.now();
        const { requests } = await load(node, seconds);
        const tookMs = performance.now() - fromMs;
        const [nodeMs = 0, primaryMs = 0, replicaMs = 0] = now().map(
          (ms, at) => ms - (before[at] ?? 0) - tookMs * (idle[at] ?? 0),
        );
        add(spent, { requests, nodeMs, primaryMs, replicaMs });
      }
    }
    printTable(
      ['GET /v1/facts?entity=', 'requests', 'node µs/req', 'primary µs/req', 'replica µs/req'],
      sides.map(({ name, spent }) => [
        name,
        figure(spent.requests),
        ...[spent.nodeMs, spent.primaryMs, spent.replicaMs].map((ms) => figure((ms * 1_000) / spent.requests)),
      ]),
    );
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
    await replica.stop();
    await primary.stop();
  }
};

const add = (sum: Spent, more: Spent): void => {
  for (const name of Object.keys(sum) as (keyof Spent)[]) sum[name] += more[name];
};

const serverPid = async ({ url }: PostgresProcess): Promise<number> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
  const server = postgresServerPid(rows[0]?.pid ?? 0);
  await client.end();
  if (server === null) throw new Error('the processor time of the servers is read from /proc, which is missing');
  return server;
};
