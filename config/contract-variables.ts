import type { BootProblem } from '../kernel/boot/boot-problem.ts';
import type { Environment } from '../kernel/plugins/environment-value.ts';
import { isReadElsewhere } from './unused-variables.ts';

/**
 * A variable of the protocol. A protection that nothing enforces must stop the start (docs/reference/settings.md).
 * `owner` is the name of the plugin that reads it, `node` or `adapter`, or `nothing` if no plugin of this release reads
 * it.
 */
interface ContractVariable {
  readonly default: string;
  readonly owner: string;
}

const of = (owner: string, defaults: Readonly<Record<string, string>>): [string, ContractVariable][] =>
  Object.entries(defaults).map(([name, text]) => [`SVC_${name}`, { default: text, owner }]);

/** The catalogue, by name. An empty default is computed by the node, or does not exist. */
export const CONTRACT_VARIABLES: ReadonlyMap<string, ContractVariable> = new Map([
  ...of('node', {
    SERVICE_NAME: 'svc',
    WORKERS: '1',
    NODE_ID: '',
    NODE_URL: 'http://localhost:8765',
    LOG_LEVEL: 'info',
    FEDERATION_HLC_MAX_FUTURE_SKEW_S: '300',
    MAX_BODY_BYTES: '2097152',
    AUTH_REQUIRED: 'true',
    ALLOW_INSECURE: 'false',
    TRUSTED_PROXIES: '',
  }),
  ...of('adapter', {
    HOST: '127.0.0.1',
    PORT: '8765',
    DATABASE_URL: '',
    DB_PATH: 'data/svc.db',
    CORS_ALLOWED_ORIGINS: '',
    CORS_DEV_LOCALHOST: 'false',
    EMBED_DIMENSIONS: '768',
  }),
  ...of('federation', {
    FEDERATION_ENABLED: 'false',
    FEDERATION_PUSH_ENABLED: 'true',
    FEDERATION_PULL_INTERVAL_S: '30',
    FEDERATION_CID: 'seed',
    FEDERATION_INSECURE: 'false',
    FEDERATION_REQUIRE_PROOF: 'false',
    FEDERATION_NONCE_WINDOW_S: '300',
    PEER_TOKEN_LEEWAY_S: '30',
  }),
  ...of('attestation', { SOURCE_ATTESTATION_MODE: 'off', ATTESTATION_REQUIRED: 'false' }),
  ...of('audit', { AUDIT_RETENTION_DAYS: '0' }),
  ...of('cards', { CARD_MAX_AGE_S: '86400' }),
  ...of('conflicts', { CONFLICT_MODE: 'record' }),
  ...of('decay', { DECAY_TTL_SECONDS: '0', DECAY_MIN_CONFIDENCE: '0' }),
  ...of('facts', { SESSION_GUARD: 'off' }),
  ...of('gardens', { GARDEN_TIERS: '{}', QUARANTINE_GARDEN_ID: '', MAX_GARDENS_PER_ENTITY: '200' }),
  ...of('graph', { CURSOR_TTL_S: '300' }),
  ...of('keys', {
    API_KEY_MAX_AGE_DAYS: '90',
    API_KEY_EXPIRING_SOON_DAYS: '30',
    BOOTSTRAP_KEY: '',
    BOOTSTRAP_ENTITY_URI: 'agent:admin',
  }),
  ...of('jobs', { ASYNC_JOB_THRESHOLD: '100000' }),
  ...of('multi-tenant', { MULTI_TENANT_ENABLED: 'false' }),
  ...of('node-info', { NODE_PRIVATE_KEY: '' }),
  ...of('oidc', {
    OIDC_ENABLED: 'false',
    OIDC_ISSUER_URL: '',
    OIDC_AUDIENCE: '',
    OIDC_CLIENT_ID: '',
    OIDC_TOKEN_TTL_HOURS: '8',
    OIDC_ID_TOKEN_ALGORITHMS: 'RS256 ES256 PS256 EdDSA',
    OIDC_ALLOWED_DOMAINS: '',
    OIDC_ROLE_CLAIM: 'roles',
  }),
  ...of('namespaces', { NAMESPACES_ENABLED: 'false' }),
  ...of('rate-limits', { RATE_LIMITS: '', MAX_STORED_BYTES_PER_ENTITY: '0' }),
  ...of('recall', { SALIENCE_WEIGHT: '0.1' }),
  ...of('source-trust', { TRUST_RULES_FILE: '' }),
  ...of('subscriptions', {
    SUBSCRIPTION_REPLAY_S: '3600',
    SUBSCRIPTION_CIRCUIT_THRESHOLD: '10',
    WEBHOOK_ALLOW_PRIVATE: 'false',
  }),
  ...of('tombstones', { TOMBSTONES_ENABLED: 'false', FEDERATION_ERASE: 'false' }),
]);

/**
 * Returns why the node must not start: variables of the catalogue with another value than their default that nothing in
 * the running node reads, because their plugin is disabled or missing. One problem names them all, never their values.
 * An unchosen adapter is no such plugin: settings of the SQLite file may stand beside a database.
 */
export const dishonouredVariables = (env: Environment, used: Iterable<string | undefined>): BootProblem[] => {
  const honoured = new Set(used);
  const off = new Map<string, string[]>();
  for (const [name, { default: usual, owner }] of CONTRACT_VARIABLES) {
    const text = env[name]?.trim() ?? '';
    if (text === '' || honoured.has(name) || isReadElsewhere(name)) continue;
    if (owner === 'node' || owner === 'adapter' || meansTheSame(text, usual)) continue;
    off.set(owner, [...(off.get(owner) ?? []), name]);
  }
  if (off.size === 0) return [];
  const names = [...off.values()].flat().sort();
  const hints = [...off].map(([owner, variables]) => remedyOf(owner, variables));
  const are =
    names.length === 1
      ? 'is set, and nothing in this node honours it'
      : 'are set, and nothing in this node honours them';
  return [{ message: `${names.join(', ')} ${are}`, hint: hints.join('; ') }];
};

const remedyOf = (owner: string, names: readonly string[]): string => {
  const what = names.join(', ');
  return owner === 'nothing'
    ? `unset ${what}: no plugin of this node has what ${names.length === 1 ? 'it asks' : 'they ask'} for`
    : `switch the plugin ${owner} on, or unset ${what}`;
};

/** Compares meanings: `0` is `false`, `8.0` is `8`, `a, b` is `a b`. */
const meansTheSame = (text: string, usual: string): boolean => {
  if (usual === 'true' || usual === 'false') return TRUTH.get(text.toLowerCase()) === (usual === 'true');
  if (usual !== '' && Number.isFinite(Number(usual))) return Number(text) === Number(usual);
  return text.split(/[\s,]+/).join(' ') === usual;
};

const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);
