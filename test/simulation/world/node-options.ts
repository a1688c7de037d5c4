import { join } from 'node:path';
import type { NodeOptions } from '../../../config/create-node.ts';
import { PLUGIN_CATALOG } from '../../../config/plugin-catalog.ts';

/** Plugins that affect agreement between nodes. Plugins that only serve reads are omitted for a faster start. */
const PLUGINS = new Set([
  'facts',
  'conflicts',
  'gardens',
  'audit',
  'billing',
  'fact-chain',
  'node-info',
  'jobs',
  'keys',
  'graph',
  'cards',
  'federation',
]);

/**
 * The limit for stamps in the future, in seconds. It is lower than the default, so that jumping clocks exceed it and
 * return.
 */
export const STAMP_LEAD_S = 20;

export const nodeUrl = (index: number): string => `https://n${index}.example`;

export const nodeOptions = (
  index: number,
  { folder, pullIntervalS }: { readonly folder: string; readonly pullIntervalS: number },
): Pick<NodeOptions, 'env' | 'overrides'> => ({
  env: {},
  overrides: {
    node: { id: `svc://n${index}.example`, url: nodeUrl(index), maxStampLeadS: STAMP_LEAD_S, logLevel: 'warn' },
    adapters: { store: { use: 'sqlite', path: join(folder, 'node.db') } },
    plugins: {
      ...Object.fromEntries(Object.keys(PLUGIN_CATALOG).map((name) => [name, PLUGINS.has(name)])),
      federation: { enabled: true, pullIntervalS },
    },
  },
});
