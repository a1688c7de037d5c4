import type { AnyPlugin } from '../kernel/plugins/plugin-definition.ts';

/** Our own plugins. A module is imported only when its plugin is enabled, so one that is switched off leaves no trace. */
export const PLUGIN_CATALOG: Readonly<Record<string, () => Promise<AnyPlugin>>> = {
  audit: async () => (await import('../plugins/audit/audit-plugin.ts')).auditPlugin,
  billing: async () => (await import('../plugins/billing/billing-plugin.ts')).billingPlugin,
  conflicts: async () => (await import('../plugins/conflicts/conflicts-plugin.ts')).conflictsPlugin,
  facts: async () => (await import('../plugins/facts/facts-plugin.ts')).factsPlugin,
  keys: async () => (await import('../plugins/keys/keys-plugin.ts')).keysPlugin,
  'node-info': async () => (await import('../plugins/node-info/node-info-plugin.ts')).nodeInfoPlugin,
};

/** Refs whose id does not begin with the name of the plugin that provides them. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'port.authorizer': 'keys',
  'node.identity': 'node-info',
};

/** The plugin of ours that would provide a ref, told without importing it: ids of refs are `plugin.service`. */
export const suggestProvider = (refId: string): string | undefined => {
  const name = PROVIDERS[refId] ?? refId.split('.')[0] ?? '';
  return Object.hasOwn(PLUGIN_CATALOG, name) ? name : undefined;
};
