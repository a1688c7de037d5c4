import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { bareInsertRate, sampleFactTable } from '../ceiling/bare-insert.ts';
import type { CeilingLayoutName } from '../ceiling/ceiling-layout.ts';
import { PostgresBareInsert } from '../ceiling/postgres-bare-insert.ts';
import { startBenchPostgres } from './bench-postgres.ts';
import { makeFolder, type ServerProcess } from './child-process.ts';
import type { LaunchOptions } from './launch-node.ts';
import { startCeiling } from './start-ceiling.ts';
import { type NodeProcess, startNode, startNodeIn } from './start-node.ts';

export type BenchStore = 'sqlite' | 'postgres';
/** The search index of nodes: in their memory, or in tables of PostgreSQL. */
export type BenchSearch = 'memory' | 'postgres';

export interface NodesOptions extends Pick<LaunchOptions, 'env' | 'checkout' | 'config' | 'nodeOptions'> {
  /** The number of node processes that share the store. Default: 1. */
  readonly processes?: number;
}

export type CopyOptions = Pick<LaunchOptions, 'checkout' | 'startLimitMs'>;

/** A storage engine with servers on it. Each server has an empty store of its own, unless it shares one. */
export interface BenchPlace {
  /** Starts node processes that share one store. */
  startNodes(options?: NodesOptions): Promise<readonly NodeProcess[]>;
  /** Starts a node on a copy of the store and the folder of a stopped node. */
  startCopy(ended: NodeProcess, options?: CopyOptions): Promise<NodeProcess>;
  startCeiling(layout: CeilingLayoutName): Promise<ServerProcess>;
  /**
   * Copies rows from the store of this node. Each call of the returned function inserts them again, and returns the
   * rows per second.
   */
  bareInsert(node: ServerProcess, rows: number, batch: number): Promise<() => Promise<number>>;
  /**
   * The processor time of the database so far, in milliseconds. Null where the system does not report it; absent for
   * SQLite, which runs inside the node's process.
   */
  readonly databaseCpuMs?: () => number | null;
  /** Stops the engine, after all servers have been stopped. */
  close(): Promise<void>;
}

export const openPlace = async (store: BenchStore, search: BenchSearch = 'memory'): Promise<BenchPlace> => {
  if (store === 'postgres') return openPostgresPlace(search);
  if (search === 'postgres') throw new Error('search in PostgreSQL needs --store postgres');
  return sqlitePlace;
};

const sqlitePlace: BenchPlace = {
  async startNodes({ processes = 1, ...options } = {}) {
    if (processes !== 1) throw new Error('several processes are measured on PostgreSQL: --store postgres');
    return [await startNode(options)];
  },
  startCopy: async ({ folder }, options = {}) => startNodeIn(await copyFolder(folder), options),
  startCeiling: (layout) => startCeiling({ layout }),
  async bareInsert({ folder, database }, rows, batch) {
    const sample = sampleFactTable(database, rows);
    return async () => bareInsertRate(folder, sample, batch);
  },
  close: async () => {},
};

const openPostgresPlace = async (search: BenchSearch): Promise<BenchPlace> => {
  const server = await startBenchPostgres(search === 'postgres');
  const chosen = search === 'postgres' ? { plugins: { search } } : {};
  return {
    async startNodes({ processes = 1, env = {}, config = {}, ...given } = {}) {
      const options = { ...given, config: { ...chosen, ...config } };
      const database = await server.createDatabase();
      const nodes: NodeProcess[] = [];
      try {
        // The second process needs the node's private key, which the first process creates.
        for (let at = 0; at < processes; at += 1) {
          nodes.push(await startNode({ ...options, env: onDatabase(database, nodes[0], env) }));
        }
        return nodes;
      } catch (error) {
        await Promise.all(nodes.map((node) => node.stop()));
        throw error;
      }
    },
    startCopy: async ({ folder, database }, options = {}) => {
      const [copy, env] = [await copyFolder(folder), onDatabase(await server.copyDatabase(database), undefined, {})];
      return startNodeIn(copy, { ...options, env });
    },
    startCeiling: async (layout) => startCeiling({ layout, database: await server.createDatabase() }),
    bareInsert: async ({ database }, rows, batch) => {
      const insert = await PostgresBareInsert.sample(database, rows, batch);
      return () => insert.rate();
    },
    databaseCpuMs: () => server.cpuMs(),
    close: () => server.stop(),
  };
};

const copyFolder = async (folder: string): Promise<string> => {
  const copy = await makeFolder();
  await cp(folder, copy, { recursive: true });
  return copy;
};

/** All processes of one node share its private key, which is in the folder of the first process. */
const onDatabase = (database: string, first: ServerProcess | undefined, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...env,
  SVC_DB_PATH: undefined,
  SVC_DATABASE_URL: database,
  SVC_DATA_FOLDER: first === undefined ? 'data' : join(first.folder, 'data'),
});
