import { join } from 'node:path';
import {
  defineOwnPlugin,
  type EndingRows,
  keepEnds,
  objectSchema,
  type WithdrawalJournal,
} from '../../kernel/internal-api.ts';
import {
  Authorizer,
  Clock,
  DEFAULT_TENANT,
  NodeSelf,
  NodeSettings,
  nodeGreeting,
  nodePrincipal,
  optional,
  Permissions,
  type PluginContext,
  type Principal,
  Random,
  type Requires,
  SCOPES,
  ServiceError,
  type ServiceNames,
  Telemetry,
  Vocabulary,
} from '../../kernel/plugin-api.ts';
import { AuditLog, auditDescribeKeys } from '../audit/audit-api.ts';
import { Tenancy, tenantCounted, tenantFirstKey, tenantsInUse } from '../multi-tenant/multi-tenant-api.ts';
import { listAgentKeysRoute, registerAgentKeyRoute, revokeAgentKeyRoute } from './agent-key-routes.ts';
import { AgentKeyStore, SEALED_AGENT_KEYS } from './agent-key-store.ts';
import { createApiKeyAuthorizer } from './api-key-authorizer.ts';
import { firstKeyFile, greetWithKey, readFirstKey } from './first-key.ts';
import { keyCommands } from './key-commands.ts';
import { StoredKeyRegistry } from './key-registry.ts';
import { expiringKeysRoute, listKeysRoute, registerKeyRoute, revokeKeyRoute, rotateKeyRoute } from './key-routes.ts';
import { principalOf, SEALED, type StoredKey } from './key-row.ts';
import { KEYS_CHANGED, KeyStore } from './key-store.ts';
import { KeyUses } from './key-uses.ts';
import { AgentKeys, FEDERATE, KeyRegistry, SubjectKeys } from './keys-api.ts';
import { AGENT_KEYS_TABLE, API_KEYS_TABLE, keysContents, keysMigrations } from './keys-migrations.ts';
import * as words from './keys-words.ts';
import { meRoute } from './me-route.ts';
import { rotateCommands } from './rotate-command.ts';
import { StoredAgentKeys } from './stored-agent-keys.ts';
import { createSubjectKeys } from './subject-keys.ts';

interface Settings {
  readonly maxAgeDays: number;
  readonly expiringSoonDays: number;
  readonly bootstrapKey: string;
  readonly bootstrapEntityUri: string;
}

/** The first key may be shorter than others, because operators type it into an environment variable. */
const MIN_BOOTSTRAP_LENGTH = 16;

/** The interval at which the last uses of keys are written, in milliseconds. */
const USES_INTERVAL_MS = 60_000;

const REVOKED_KEYS: WithdrawalJournal = { file: 'revoked-keys', withdrawn: 'revoked keys', listCommand: 'key list' };

const HIT = { result: 'hit' } as const;
const MISS = { result: 'miss' } as const;

export const keysPlugin = defineOwnPlugin({
  name: 'keys',
  summary: 'API keys and agent keys: who may call this node, and by which keys agents sign',
  requires: {
    telemetry: Telemetry,
    clock: Clock,
    random: Random,
    self: NodeSelf,
    node: NodeSettings,
    vocabulary: Vocabulary,
    audit: optional(AuditLog),
    tenancy: optional(Tenancy),
  },
  provides: [Authorizer, KeyRegistry, SubjectKeys, AgentKeys],
  declares: [...Object.values(words), FEDERATE],
  config: objectSchema<Settings>({
    maxAgeDays: {
      type: 'integer',
      minimum: 0,
      maximum: 36_500,
      default: 90,
      env: 'SVC_API_KEY_MAX_AGE_DAYS',
      description: 'longest life of a key in days; 0 sets no limit',
    },
    expiringSoonDays: {
      type: 'integer',
      minimum: 1,
      maximum: 365,
      default: 30,
      env: 'SVC_API_KEY_EXPIRING_SOON_DAYS',
      description: 'how far ahead the list of expiring keys looks unless asked otherwise',
    },
    bootstrapKey: {
      type: 'string',
      pattern: `^$|^[\\x21-\\x7e]{${MIN_BOOTSTRAP_LENGTH},1024}$`,
      default: '',
      env: 'SVC_BOOTSTRAP_KEY',
      writeOnly: true,
      description: `key that is registered with all rights when the store has none; at least ${MIN_BOOTSTRAP_LENGTH} visible ASCII characters`,
    },
    bootstrapEntityUri: {
      type: 'string',
      minLength: 1,
      default: 'agent:admin',
      env: 'SVC_BOOTSTRAP_ENTITY_URI',
      description: 'entity of the bootstrap key',
    },
  }),
  migrations: keysMigrations,
  contents: keysContents,
  journals: [REVOKED_KEYS],
  sealed: [SEALED, SEALED_AGENT_KEYS],
  async inspect({ config, node, notes }) {
    // The first start uses the key file of an earlier attempt.
    if (notes === undefined && node.authRequired && config.bootstrapKey === '') await readFirstKey(firstKeyFile(node));
  },
  commands: [keyCommands, rotateCommands],
  async setup(context) {
    const { config, use, tables, hooks, on, onSignal, route, provide, every, onStop } = context;
    const { clock, random, self, node, vocabulary, audit, tenancy } = use;
    const permissions = vocabulary.words(Permissions).map(({ id }) => id);
    const declared = new Set(permissions);
    const store = new KeyStore(tables, self.names);
    const tenantOf = (key: StoredKey): string => tenancy?.tenantOf(key.tenantId) ?? DEFAULT_TENANT;
    const principalOfKey = (key: StoredKey): Principal => principalOf(key, tenantOf(key), declared);
    const uses = new KeyUses(tables, clock);
    const authorizer = createApiKeyAuthorizer({
      clock,
      looked: countLooks(use.telemetry),
      principalOf: principalOfKey,
      standingOf: (tenantId) => tenancy?.standingOf(tenantId) ?? 'active',
      findByDigest: (digest) => store.findByDigest(digest),
      used: (key) => uses.note(key),
    });
    every(USES_INTERVAL_MS, () => uses.flush());
    onStop(() => uses.flush());
    const { maxAgeDays, expiringSoonDays } = config;
    onSignal(KEYS_CHANGED, () => authorizer.forget());
    const tenantFilter = ({ tenantId }: Principal) => (tenancy?.isOn === true ? { tenantId } : {});
    const registry = new StoredKeyRegistry({
      store,
      uses,
      tables,
      clock,
      random,
      audit,
      tenancy,
      maxAgeDays,
      expiringSoonDays,
      tenantFilter,
      tenantOf,
      principalOf: principalOfKey,
      permissions,
      hooks,
    });
    provide(Authorizer, authorizer);
    provide(KeyRegistry, registry);
    provide(SubjectKeys, createSubjectKeys({ store, tables, clock, random, audit, maxAgeDays, permissions, hooks }));

    const agentKeyStore = new AgentKeyStore(tables);
    const agentKeys = new StoredAgentKeys({ store: agentKeyStore, tables, clock, random, audit });
    provide(AgentKeys, agentKeys);
    keepRevocations(context, [revocableKeys(store), revocableAgentKeys(agentKeyStore)]);
    on(auditDescribeKeys, ({ keyIds, tenantId, snapshot }) =>
      agentKeyStore.among(tables.in(snapshot), keyIds, tenantId),
    );

    on(tenantFirstKey, ({ caller, tenantId, key, transaction }) =>
      registry.registerFor(caller, { ...key, tenantId }, transaction),
    );
    on(tenantsInUse, ({ snapshot }) => store.tenants(tables.in(snapshot)));
    on(tenantCounted, async ({ tenantId, snapshot }) => ({
      keys: await store.countIn(tables.in(snapshot), tenantId),
    }));

    addRoutes(route, registry, agentKeys, expiringSoonDays);

    on(nodeGreeting, ({ isDue }) =>
      greetWithKey({
        isDue,
        registry,
        random,
        node,
        actor: nodePrincipal(self.names),
        entityUri: config.bootstrapEntityUri,
        isBrought: config.bootstrapKey !== '',
        isActive: (rawKey) => isAccepted(authorizer, rawKey),
      }),
    );
    if (config.bootstrapKey !== '') await bootstrap(registry, config, self.names);
  },
});

/** A restore of an older state must not make a revoked key valid again. */
const keepRevocations = (
  context: Pick<PluginContext<Requires, Settings>, 'tables' | 'onStart' | 'onStop' | 'onSignal' | 'log'> & {
    readonly use: { readonly clock: Clock; readonly node: NodeSettings; readonly tenancy: Tenancy | undefined };
  },
  kinds: readonly EndingRows[],
): void => {
  const { clock, node, tenancy } = context.use;
  keepEnds(context, {
    topic: KEYS_CHANGED,
    tables: context.tables,
    clock,
    file: join(node.dataFolder, REVOKED_KEYS.file),
    tenantOf: (tenantId) => tenancy?.tenantOf(tenantId) ?? DEFAULT_TENANT,
    kinds,
  });
};

const revocableKeys = (store: KeyStore): EndingRows => ({
  table: API_KEYS_TABLE,
  id: 'id',
  endedMs: 'revoked_ms',
  end: async (own, row, nowMs) => {
    const key = await store.byId(own, String(row['id']));
    if (key !== undefined) await store.revoke(own, key, nowMs);
  },
});

const revocableAgentKeys = (store: AgentKeyStore): EndingRows => ({
  table: AGENT_KEYS_TABLE,
  id: 'id',
  endedMs: 'revoked_ms',
  end: async (own, row, nowMs) => {
    const [key] = await store.among(own, [String(row['id'])], String(row['tenant_id']));
    if (key !== undefined) await store.revoke(own, key, nowMs);
  },
});

const countLooks = (telemetry: Telemetry): ((wasKept: boolean) => void) => {
  const looks = telemetry.counter({
    name: 'keys_cache_lookups_total',
    help: 'Credentials that were looked for in the cache of keys, and whether they were there',
    labels: ['result'],
  });
  return (wasKept) => looks.add(1, wasKept ? HIT : MISS);
};

const addRoutes = (
  route: PluginContext<Requires, Settings>['route'],
  registry: KeyRegistry,
  agentKeys: AgentKeys,
  expiringSoonDays: number,
): void => {
  route(meRoute());
  route(listKeysRoute(registry));
  route(registerKeyRoute(registry));
  route(expiringKeysRoute(registry, expiringSoonDays));
  route(rotateKeyRoute(registry));
  route(revokeKeyRoute(registry));
  route(listAgentKeysRoute(agentKeys));
  route(registerAgentKeyRoute(agentKeys));
  route(revokeAgentKeyRoute(agentKeys));
};

const isAccepted = async (authorizer: Authorizer, rawKey: string): Promise<boolean> => {
  try {
    return (await authorizer.authenticate(rawKey)) !== null;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'authentication') return false;
    throw error;
  }
};

const bootstrap = (registry: StoredKeyRegistry, config: Settings, names: ServiceNames): Promise<unknown> => {
  const registration = {
    rawKey: config.bootstrapKey,
    entityUri: config.bootstrapEntityUri,
    permissions: registry.permissions,
    allowedScopes: SCOPES,
    description: 'bootstrap key',
  };
  return registry.registerFirst(nodePrincipal(names), { registration, minKeyLength: MIN_BOOTSTRAP_LENGTH });
};
