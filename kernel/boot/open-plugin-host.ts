import { FactStore } from '../../ports/ports.ts';
import type { PluginHost } from '../plugins/plugin-context.ts';
import { createDamageReport, createStoredRows, StoredRows } from '../store/stored-rows.ts';
import type { Assembly } from './assembly.ts';

/** Provides what the plugins share. */
export const openPluginHost = ({ options, plugins, telemetry, container, hooks, routes }: Assembly): PluginHost => {
  const { log, adapters } = options;
  const store = container.get(FactStore);
  const sealed = plugins.flatMap(({ plugin }) => plugin.sealed ?? []);
  container.provide(StoredRows, createStoredRows(store, sealed));
  const reportDamage = createDamageReport(log, telemetry);
  const ofPackage = new Set(plugins.flatMap(({ plugin, isOfPackage }) => (isOfPackage === true ? plugin.name : [])));
  return { store, clock: adapters.clock, container, hooks, log, routes, ofPackage, reportDamage };
};
