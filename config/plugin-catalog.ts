import type { AnyPlugin } from '../kernel/plugins/plugin-definition.ts';

/** The plugins of the package. The program imports the module of a plugin only when the plugin is enabled. */
export const PLUGIN_CATALOG: Readonly<Record<string, () => Promise<AnyPlugin>>> = {
  attestation: async () => (await import('../plugins/attestation/attestation-plugin.ts')).attestationPlugin,
  audit: async () => (await import('../plugins/audit/audit-plugin.ts')).auditPlugin,
  backup: async () => (await import('../plugins/backup/backup-plugin.ts')).backupPlugin,
  billing: async () => (await import('../plugins/billing/billing-plugin.ts')).billingPlugin,
  'capability-tokens': async () =>
    (await import('../plugins/capability-tokens/capability-tokens-plugin.ts')).capabilityTokensPlugin,
  cards: async () => (await import('../plugins/cards/cards-plugin.ts')).cardsPlugin,
  conflicts: async () => (await import('../plugins/conflicts/conflicts-plugin.ts')).conflictsPlugin,
  connect: async () => (await import('../plugins/connect/connect-plugin.ts')).connectPlugin,
  console: async () => (await import('../plugins/console/console-plugin.ts')).consolePlugin,
  decay: async () => (await import('../plugins/decay/decay-plugin.ts')).decayPlugin,
  demo: async () => (await import('../plugins/demo/demo-plugin.ts')).demoPlugin,
  'fact-chain': async () => (await import('../plugins/fact-chain/fact-chain-plugin.ts')).factChainPlugin,
  facts: async () => (await import('../plugins/facts/facts-plugin.ts')).factsPlugin,
  federation: async () => (await import('../plugins/federation/federation-plugin.ts')).federationPlugin,
  gardens: async () => (await import('../plugins/gardens/gardens-plugin.ts')).gardensPlugin,
  graph: async () => (await import('../plugins/graph/graph-plugin.ts')).graphPlugin,
  importers: async () => (await import('../plugins/importers/importers-plugin.ts')).importersPlugin,
  instructions: async () => (await import('../plugins/instructions/instructions-plugin.ts')).instructionsPlugin,
  jobs: async () => (await import('../plugins/jobs/jobs-plugin.ts')).jobsPlugin,
  keys: async () => (await import('../plugins/keys/keys-plugin.ts')).keysPlugin,
  mcp: async () => (await import('../plugins/mcp/mcp-plugin.ts')).mcpPlugin,
  metrics: async () => (await import('../plugins/metrics/metrics-plugin.ts')).metricsPlugin,
  lint: async () => (await import('../plugins/lint/lint-plugin.ts')).lintPlugin,
  'multi-tenant': async () => (await import('../plugins/multi-tenant/multi-tenant-plugin.ts')).multiTenantPlugin,
  namespaces: async () => (await import('../plugins/namespaces/namespaces-plugin.ts')).namespacesPlugin,
  'node-info': async () => (await import('../plugins/node-info/node-info-plugin.ts')).nodeInfoPlugin,
  oauth: async () => (await import('../plugins/oauth/oauth-plugin.ts')).oauthPlugin,
  oidc: async () => (await import('../plugins/oidc/oidc-plugin.ts')).oidcPlugin,
  openapi: async () => (await import('../plugins/openapi/openapi-plugin.ts')).openapiPlugin,
  'rate-limits': async () => (await import('../plugins/rate-limits/rate-limits-plugin.ts')).rateLimitsPlugin,
  recall: async () => (await import('../plugins/recall/recall-plugin.ts')).recallPlugin,
  relations: async () => (await import('../plugins/relations/relations-plugin.ts')).relationsPlugin,
  scaffold: async () => (await import('../plugins/scaffold/scaffold-plugin.ts')).scaffoldPlugin,
  search: async () => (await import('../plugins/search/search-plugin.ts')).searchPlugin,
  'source-trust': async () => (await import('../plugins/source-trust/source-trust-plugin.ts')).sourceTrustPlugin,
  subscriptions: async () => (await import('../plugins/subscriptions/subscriptions-plugin.ts')).subscriptionsPlugin,
  'time-travel': async () => (await import('../plugins/time-travel/time-travel-plugin.ts')).timeTravelPlugin,
  synthesis: async () => (await import('../plugins/synthesis/synthesis-plugin.ts')).synthesisPlugin,
  tombstones: async () => (await import('../plugins/tombstones/tombstones-plugin.ts')).tombstonesPlugin,
  tracing: async () => (await import('../plugins/tracing/tracing-plugin.ts')).tracingPlugin,
  transfer: async () => (await import('../plugins/transfer/transfer-plugin.ts')).transferPlugin,
  upkeep: async () => (await import('../plugins/upkeep/upkeep-plugin.ts')).upkeepPlugin,
};

/**
 * Plugins of the package that take the place of another one: `"search": "postgres"` switches `search` off and
 * `search-postgres` on.
 */
export const PLUGIN_ALTERNATIVES: Readonly<Record<string, () => Promise<AnyPlugin>>> = {
  'search-postgres': async () =>
    (await import('../plugins/search/postgres/search-postgres-plugin.ts')).searchPostgresPlugin,
};

/** Imports a plugin of the package; undefined for any other name. */
export const importBundled = async (name: string): Promise<AnyPlugin | undefined> =>
  (PLUGIN_CATALOG[name] ?? PLUGIN_ALTERNATIVES[name])?.();

/** The providers of refs whose id does not begin with the plugin's name. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'kernel.garden-access': 'gardens',
  'port.authorizer': 'keys',
  'facts.suppressed-facts': 'tombstones',
  'facts.verified-origins': 'federation',
};

/**
 * Returns the plugin of the package that would provide a ref, without importing it: ids of refs are `plugin.service`.
 */
export const suggestProvider = (refId: string): string | undefined => {
  const name = PROVIDERS[refId] ?? refId.split('.')[0] ?? '';
  return Object.hasOwn(PLUGIN_CATALOG, name) ? name : undefined;
};
