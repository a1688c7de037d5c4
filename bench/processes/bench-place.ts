import { join } from 'node:path';
import { bareInsertRate, sampleFactTable } from '../ceiling/bare-insert.ts';
import { PostgresBareInsert } from '../ceiling/postgres-bare-insert.ts';
import { startBenchPostgres } from './bench-postgres.ts';
import type { ServerProcess } from './child-process.ts';
import { type LaunchOptions, NODE_DATABASE } from './launch-node.ts';
import { startCeiling } from './start-ceiling.ts';
import { type NodeProcess, startNode } from './start-node.ts';

export type BenchStore = 'sqlite' | 'postgres';

/** An engine with servers on it, each of them on an empty store of its own unless it shares one. */
export interface BenchPlace {
  /** Starts node processes that share one store. `env` is added to their environment. */
  startNodes(processes: number, env?: NodeJS.ProcessEnv): Promise<readonly NodeProcess[]>;
  startCeiling(): Promise<ServerProcess>;
  /**
   * Takes rows from the store of these nodes; each call of the answer inserts them anew, and says how many a second.
   */
  bareInsert(nodes: readonly ServerProcess[], rows: number, batch: number): Promise<() => Promise<number>>;
  /**
   * Processor time of the database so far, in milliseconds: null where it cannot be read, absent where it is the
   * server's own.
   */
  readonly databaseCpuMs?: () => number | null;
  /** Ends the engine. The servers must have been stopped. */
  close(): Promise<void>;
}

export const openPlace = (store: BenchStore): Promise<BenchPlace> =>
  store === 'sqlite' ? Promise.resolve(sqlitePlace) : openPostgresPlace();

const sqlitePlace: BenchPlace = {
  async startNodes(processes, env = {}) {
    if (processes !== 1) throw new Error('several processes are measured on PostgreSQL: --store postgres');
    return [await startNode({ env })];
  },
  startCeiling: () => startCeiling(),
  async bareInsert([node], rows, batch) {
    if (node === undefined) throw new Error('there is no node to take rows from');
    const sample = sampleFactTable(join(node.folder, NODE_DATABASE), rows);
    return async () => bareInsertRate(node.folder, sample, batch);
  },
  close: async () => {},
};

const openPostgresPlace = async (): Promise<BenchPlace> => {
  const server = await startBenchPostgres();
  let nodeDatabase = '';
  return {
    async startNodes(processes, env = {}) {
      nodeDatabase = await server.createDatabase();
      const nodes: NodeProcess[] = [];
      try {
        // The second one needs the key of the node, which the first one makes.
        for (let at = 0; at < processes; at += 1) {
          nodes.push(await startNode(onDatabase(nodeDatabase, nodes[0], env)));
        }
        return nodes;
      } catch (error) {
        await Promise.all(nodes.map((node) => node.stop()));
        throw error;
      }
    },
    startCeiling: async () => startCeiling({ database: await server.createDatabase() }),
    bareInsert: async (_, rows, batch) => {
      const insert = await PostgresBareInsert.sample(nodeDatabase, rows, batch);
      return () => insert.rate();
    },
    databaseCpuMs: () => server.cpuMs(),
    close: () => server.stop(),
  };
};

/** Processes of one node share its private key, which lies in the folder of the first. */
const onDatabase = (database: string, first: ServerProcess | undefined, env: NodeJS.ProcessEnv): LaunchOptions => ({
  env: {
    ...env,
    SVC_DB_PATH: undefined,
    SVC_DATABASE_URL: database,
    SVC_DATA_FOLDER: first === undefined ? 'data' : join(first.folder, 'data'),
  },
});
