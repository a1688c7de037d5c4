import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DescribedNode } from '../kernel/description/node-description.ts';
import { createNode, type Node, type NodeOptions } from './create-node.ts';

/**
 * Only a booted node knows its routes, hooks and tables. So this boots a second node silently, with the same
 * configuration, a temporary store and temporary files. The operator's own store and files stay untouched, with any
 * settings.
 */
export const describeUnstarted = async (
  { configFile, env }: Pick<NodeOptions, 'configFile' | 'env'>,
  { kernel, config }: Node,
  including?: string,
): Promise<DescribedNode> => {
  const folder = await mkdtemp(join(tmpdir(), 'describe-node-'));
  const borrowed = config.disabled.filter((name) => name === including);
  try {
    const scratch = await createNode({
      configFile,
      env,
      overrides: {
        node: { logLevel: 'silent' },
        adapters: { store: { use: 'sqlite', path: join(folder, 'node.db') } },
        plugins: Object.fromEntries(borrowed.map((name) => [name, true])),
      },
      usesOnlyDataFolder: true,
    });
    try {
      const { plugins, settings, ...rest } = await scratch.describe();
      return {
        ...rest,
        plugins: [
          ...plugins.filter(({ name }) => !borrowed.includes(name)),
          ...plugins.filter(({ name }) => borrowed.includes(name)).map((plugin) => ({ ...plugin, enabled: false })),
        ],
        // Shows the operator's settings, because those of the temporary node name temporary files.
        settings: [
          ...kernel.settings,
          ...settings.filter(({ owner }) => borrowed.some((name) => owner === `plugins.${name}`)),
        ],
      };
    } finally {
      await scratch.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
