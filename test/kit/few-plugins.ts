import { PLUGIN_CATALOG } from '../../config/plugin-catalog.ts';

const FEW = ['audit', 'conflicts', 'facts', 'keys', 'node-info'];

/**
 * The `plugins` of a configuration with the facts and the keys alone. A process with them starts in half the time, for
 * tests that are about processes.
 */
export const FEW_PLUGINS: Readonly<Record<string, boolean>> = Object.fromEntries(
  Object.keys(PLUGIN_CATALOG).map((name) => [name, FEW.includes(name)]),
);
