import type { CommandLineDeps, NodeHandle } from './command-line-deps.ts';

/**
 * Boots the node of a configuration without serving, on a store that must be there already, does the work, and stops
 * the node whatever happens.
 */
export const withNode = async <T>(
  { openNode, env }: CommandLineDeps,
  configFile: string | undefined,
  work: (node: NodeHandle) => Promise<T>,
): Promise<T> => {
  const node = await openNode({ configFile, env, serve: false, createsStore: false });
  try {
    await node.start();
    return await work(node);
  } finally {
    await node.stop();
  }
};
