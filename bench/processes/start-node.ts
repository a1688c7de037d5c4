import { join } from 'node:path';
import { endServer, makeFolder, type ServerProcess, stopServer } from './child-process.ts';
import { type LaunchOptions, launchNode, NODE_DATABASE, NODE_KEY } from './launch-node.ts';

/** A node that can be stopped and started again on the same store. */
export interface NodeProcess extends ServerProcess {
  /** Stops the process as an operator would, and preserves its folder. */
  end(): Promise<void>;
  /** Starts another process on the same folder, with these additional settings. The first process must have ended. */
  again(env?: NodeJS.ProcessEnv): Promise<NodeProcess>;
}

/** Starts a real node on an empty store in a folder of its own, with every feature on. */
export const startNode = async (options: LaunchOptions = {}): Promise<NodeProcess> =>
  startNodeIn(await makeFolder(), options);

/** Starts a node on an existing folder. `stop` removes the folder. */
export const startNodeIn = async (folder: string, options: LaunchOptions): Promise<NodeProcess> => {
  const { port, child } = await launchNode(folder, options);
  return {
    port,
    key: NODE_KEY,
    pid: child.pid ?? 0,
    folder,
    database: options.env?.['SVC_DATABASE_URL'] ?? join(folder, NODE_DATABASE),
    stop: () => stopServer(child, folder),
    end: () => endServer(child),
    again: (env) => startNodeIn(folder, { ...options, env: { ...options.env, ...env } }),
  };
};
