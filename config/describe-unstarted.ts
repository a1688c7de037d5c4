import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeDescription } from '../adapters/cli/command-line-deps.ts';
import { summarisePlugin } from '../kernel/boot/describe-kernel.ts';
import { createNode, type Node, type NodeOptions } from './create-node.ts';
import { PLUGIN_CATALOG } from './plugin-catalog.ts';

/**
 * Only a booted node knows its routes, hooks and tables. So another one boots with the same configuration, silently and on a store
 * that is thrown away; the operator's own store is neither created nor migrated.
 */
export const describeUnstarted = async (
  { configFile, env }: Pick<NodeOptions, 'configFile' | 'env'>,
  { kernel, config }: Node,
  including?: string,
): Promise<NodeDescription> => {
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
    });
    try {
      const { plugins, settings, ...rest } = await scratch.describe();
      const off = await Promise.all(config.disabled.flatMap((name) => PLUGIN_CATALOG[name]?.() ?? []));
      const on = plugins.filter(({ name }) => !borrowed.includes(name));
      return {
        ...rest,
        plugins: [
          ...on.map((plugin) => ({ ...plugin, enabled: true })),
          ...off.map((plugin) => ({ ...summarisePlugin(plugin), enabled: false })),
        ],
        // The operator's own values; those of the scratch node say where its own files are.
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
