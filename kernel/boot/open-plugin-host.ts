import { ContentSeal, FactStore } from '../../ports/ports.ts';
import type { PluginHost } from '../plugins/plugin-context.ts';
import { ContentBorder } from '../store/content-border.ts';
import { createDamageReport, createStoredRows, StoredRows } from '../store/stored-rows.ts';
import type { Assembly } from './assembly.ts';

/** Provides what the plugins share. */
export const openPluginHost = ({ options, plugins, telemetry, container, hooks, routes }: Assembly): PluginHost => {
  const { log, adapters } = options;
  const store = container.get(FactStore);
  const seal = container.has(ContentSeal) ? container.get(ContentSeal) : undefined;
  const sealed = plugins.flatMap(({ plugin }) => plugin.sealed ?? []);
  const border = new ContentBorder(
    seal,
    plugins.flatMap(({ plugin }) => plugin.contents ?? []),
  );
  container.provide(StoredRows, createStoredRows(store, sealed, border));
  const reportDamage = createDamageReport(log, telemetry);
  const ofPackage = new Set(plugins.flatMap(({ plugin, isOfPackage }) => (isOfPackage === true ? plugin.name : [])));
  return { store, clock: adapters.clock, container, hooks, log, routes, ofPackage, reportDamage, seal };
};
