import { PLUGIN_CATALOG } from '../../config/plugin-catalog.ts';

const FEW = ['audit', 'conflicts', 'facts', 'keys', 'node-info'];

/**
 * Returns the `plugins` of a configuration that enables only the facts, the keys and these plugins. A process with few
 * plugins starts in half the time, for tests that are about processes.
 */
export const fewPlugins = (...more: readonly string[]): Readonly<Record<string, boolean>> =>
  Object.fromEntries(Object.keys(PLUGIN_CATALOG).map((name) => [name, FEW.includes(name) || more.includes(name)]));

/** The `plugins` of a configuration that enables only the facts and the keys. */
export const FEW_PLUGINS = fewPlugins();
