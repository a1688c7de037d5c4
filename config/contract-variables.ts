import { isDeepStrictEqual } from 'node:util';
import { type Environment, parseEnvironmentValue } from '../kernel/plugins/environment-value.ts';
import { settingProperties } from '../kernel/plugins/setting-property.ts';
import type { BootProblem } from '../kernel/problems/boot-problem.ts';
import { PLUGIN_CATALOG } from './plugin-catalog.ts';

/**
 * Variables of the protocol, by the plugin that reads them. Without its plugin, such a variable would promise a
 * protection that nothing enforces, so the node must not start (docs/reference/settings.md). The defaults are in the
 * schemas of the plugins.
 */
export const CONTRACT_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  federation: [
    'SVC_FEDERATION_ENABLED',
    'SVC_FEDERATION_PUSH_ENABLED',
    'SVC_FEDERATION_PULL_INTERVAL_S',
    'SVC_FEDERATION_CID',
    'SVC_FEDERATION_INSECURE',
    'SVC_FEDERATION_REQUIRE_PROOF',
    'SVC_FEDERATION_NONCE_WINDOW_S',
    'SVC_PEER_TOKEN_LEEWAY_S',
  ],
  attestation: ['SVC_SOURCE_ATTESTATION_MODE', 'SVC_ATTESTATION_REQUIRED'],
  audit: ['SVC_AUDIT_RETENTION_DAYS'],
  cards: ['SVC_CARD_MAX_AGE_S'],
  conflicts: ['SVC_CONFLICT_MODE'],
  decay: ['SVC_DECAY_TTL_SECONDS', 'SVC_DECAY_MIN_CONFIDENCE'],
  facts: ['SVC_SESSION_GUARD'],
  gardens: ['SVC_GARDEN_TIERS', 'SVC_QUARANTINE_GARDEN_ID', 'SVC_MAX_GARDENS_PER_ENTITY'],
  graph: ['SVC_CURSOR_TTL_S'],
  keys: ['SVC_API_KEY_MAX_AGE_DAYS', 'SVC_API_KEY_EXPIRING_SOON_DAYS', 'SVC_BOOTSTRAP_KEY', 'SVC_BOOTSTRAP_ENTITY_URI'],
  jobs: ['SVC_ASYNC_JOB_THRESHOLD'],
  'multi-tenant': ['SVC_MULTI_TENANT_ENABLED'],
  'node-info': ['SVC_NODE_PRIVATE_KEY'],
  oidc: [
    'SVC_OIDC_ENABLED',
    'SVC_OIDC_ISSUER_URL',
    'SVC_OIDC_AUDIENCE',
    'SVC_OIDC_CLIENT_ID',
    'SVC_OIDC_TOKEN_TTL_HOURS',
    'SVC_OIDC_ID_TOKEN_ALGORITHMS',
    'SVC_OIDC_ALLOWED_DOMAINS',
    'SVC_OIDC_ROLE_CLAIM',
  ],
  namespaces: ['SVC_NAMESPACES_ENABLED'],
  'rate-limits': ['SVC_RATE_LIMITS', 'SVC_MAX_STORED_BYTES_PER_ENTITY'],
  recall: ['SVC_SALIENCE_WEIGHT'],
  'source-trust': ['SVC_TRUST_RULES_FILE'],
  subscriptions: ['SVC_SUBSCRIPTION_REPLAY_S', 'SVC_SUBSCRIPTION_CIRCUIT_THRESHOLD', 'SVC_WEBHOOK_ALLOW_PRIVATE'],
  tombstones: ['SVC_TOMBSTONES_ENABLED', 'SVC_FEDERATION_ERASE'],
};

/** Further addresses of a database, which mean nothing for a store in a file. */
const FURTHER_ADDRESSES = ['SVC_DATABASE_DIRECT_URL', 'SVC_DATABASE_REPLICA_URLS'];

/** Returns the problem of variables that name further addresses of a database while the node uses another store. */
export const addressesWithoutDatabase = (env: Environment, used: Iterable<string | undefined>): BootProblem[] => {
  if (isGiven(env, 'SVC_DATABASE_URL')) return [];
  const honoured = new Set(used);
  return FURTHER_ADDRESSES.filter((name) => isGiven(env, name) && !honoured.has(name)).map((name) => ({
    message: `${name} is set, and the store of this node is no PostgreSQL database`,
    hint: `set SVC_DATABASE_URL to the address of the database, or unset ${name}`,
  }));
};

const isGiven = (env: Environment, name: string): boolean => (env[name]?.trim() ?? '') !== '';

/**
 * Returns the problem of variables that differ from their default while nothing in the node reads them, because their
 * plugin is disabled or missing. One problem names all of them, but no value.
 */
export const dishonouredVariables = async (
  env: Environment,
  used: Iterable<string | undefined>,
): Promise<BootProblem[]> => {
  const honoured = new Set(used);
  const off: (readonly [plugin: string, variables: readonly string[]])[] = [];
  for (const [plugin, variables] of Object.entries(CONTRACT_VARIABLES)) {
    const given = variables.filter((name) => isGiven(env, name) && !honoured.has(name));
    const changed = given.length === 0 ? [] : await changedFrom(plugin, given, env);
    if (changed.length > 0) off.push([plugin, changed]);
  }
  if (off.length === 0) return [];
  const names = off.flatMap(([, variables]) => variables).sort();
  const are =
    names.length === 1
      ? 'is set, and nothing in this node honours it'
      : 'are set, and nothing in this node honours them';
  const hints = off.map(([plugin, variables]) => `switch the plugin ${plugin} on, or unset ${variables.join(', ')}`);
  return [{ message: `${names.join(', ')} ${are}`, hint: hints.join('; ') }];
};

/** Returns the variables whose value differs from the default in the plugin's schema. */
const changedFrom = async (plugin: string, names: readonly string[], env: Environment): Promise<string[]> => {
  const settings = settingProperties((await PLUGIN_CATALOG[plugin]?.())?.config?.json ?? {});
  return names.filter((name) => {
    const schema = settings.find((setting) => setting.schema.env === name)?.schema;
    const value = schema === undefined ? undefined : parseEnvironmentValue(env[name]?.trim() ?? '', schema);
    return value === undefined || !isDeepStrictEqual(value, schema?.default);
  });
};
