import { makeFolder, type ServerProcess, stopServer } from './child-process.ts';
import { type LaunchOptions, launchNode, NODE_KEY } from './launch-node.ts';

/** Starts the real node on an empty store in a folder of its own, with everything switched on. */
export const startNode = async (options: LaunchOptions = {}): Promise<ServerProcess> => {
  const folder = await makeFolder();
  const { port, child } = await launchNode(folder, options);
  return { port, key: NODE_KEY, pid: child.pid ?? 0, folder, stop: () => stopServer(child, folder) };
};
