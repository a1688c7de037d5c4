import { join } from 'node:path';
import { defineOwnPlugin, keepWithdrawals, type WithdrawalJournal } from '../../kernel/internal-api.ts';
import {
  Authorizer,
  Clock,
  GardenAccess,
  httpCredential,
  NodeSelf,
  NodeSettings,
  optional,
  Random,
  ServedTenants,
  ServiceError,
  Transport,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { Gardens } from '../gardens/gardens-api.ts';
import { KeyRegistry, keyEnded, keyReplaced } from '../keys/keys-api.ts';
import { CodeSignIn, ResourceMetadata, resourceIssued } from '../oidc/oidc-api.ts';
import { limitShared, Quotas } from '../rate-limits/rate-limits-api.ts';
import { ClientDirectory } from './client-directory.ts';
import { ClientDocuments } from './client-document.ts';
import { consentRoute } from './consent-routes.ts';
import { grantCommands } from './grant-commands.ts';
import { endGrantRoute, listGrantsRoute } from './grant-routes.ts';
import { GrantStore, SECRETS_SPENT, type StoredSecret } from './grant-store.ts';
import { metadataRoutes, metadataUrlOf } from './metadata-routes.ts';
import { ClientAccess, GrantRegistry } from './oauth-api.ts';
import { OAuthGrants } from './oauth-grants.ts';
import { oauthContents, oauthMigrations } from './oauth-migrations.ts';
import { checkOAuthSettings, oauthSettings } from './oauth-settings.ts';
import { OAuthTokens } from './oauth-tokens.ts';
import * as words from './oauth-words.ts';
import { leaveForProviderRoute, returnFromProviderRoute } from './provider-routes.ts';
import { authorizeRoute, signInRoute } from './sign-in-routes.ts';
import { entryOfSecret, isOverEntry, spentSecrets } from './spent-secrets.ts';
import { registerClientRoute, revokeTokenRoute, tokenRoute } from './token-routes.ts';
import { WITHOUT_KEYS } from './without-keys.ts';

const SWEEP_INTERVAL_MS = 60_000;

const SPENT_TOKENS: WithdrawalJournal = {
  file: 'spent-tokens',
  withdrawn: 'used tokens of remote clients',
  listCommand: 'grant list',
};

export const oauthPlugin = defineOwnPlugin({
  name: 'oauth',
  summary: 'Gives remote clients access by the consent of a person; off until it is enabled',
  requires: {
    clock: Clock,
    random: Random,
    self: NodeSelf,
    node: NodeSettings,
    transport: Transport,
    served: ServedTenants,
    authorizer: optional(Authorizer),
    keys: optional(KeyRegistry),
    metadata: optional(ResourceMetadata),
    provider: optional(CodeSignIn),
    audit: optional(AuditLog),
    quotas: optional(Quotas),
    gardens: optional(Gardens),
    access: optional(GardenAccess),
  },
  provides: [ClientAccess, GrantRegistry],
  declares: Object.values(words),
  config: oauthSettings,
  migrations: oauthMigrations,
  contents: oauthContents,
  journals: [SPENT_TOKENS],
  commands: [grantCommands],
  setup(context) {
    const { config, use, tables, on, provide, route, every } = context;
    const { clock, random, self, node, transport, served, authorizer, keys, audit, quotas, gardens, access } = use;
    const { nodeUrl, names } = self;
    const { enabled, insecure, registration, maxGrantDays } = config;
    checkOAuthSettings(config, nodeUrl);
    const store = new GrantStore();
    const grants = new OAuthGrants({
      store,
      tables,
      clock,
      random,
      names,
      keys: keys ?? WITHOUT_KEYS,
      audit,
      gardens,
      access,
    });
    provide(GrantRegistry, grants);
    provide(ClientAccess, { metadataUrl: enabled ? metadataUrlOf(nodeUrl) : undefined });
    // Registered even while OAuth is off, because work on behalf of existing clients continues.
    on(keyEnded, ({ id, snapshot }) => grants.endsKey(id, snapshot));
    on(limitShared, ({ tenantId, entityUris, snapshot }) => store.personsOf(tables.in(snapshot), tenantId, entityUris));
    if (!enabled) return;
    if (authorizer === undefined || keys === undefined) {
      throw new ServiceError('validation', 'oauth is on, and the node has no keys behind which grants could stand', {
        hint: 'switch the plugin keys on, or set SVC_OAUTH_ENABLED=false',
      });
    }
    if (!node.authRequired) {
      throw new ServiceError('validation', 'oauth is on, and the node requires no API key', {
        hint: 'set SVC_AUTH_REQUIRED=true, or SVC_OAUTH_ENABLED=false',
      });
    }
    const documents = new ClientDocuments(transport, clock, { allowPrivate: insecure });
    const clients = new ClientDirectory({ tables, clock, random, documents });
    const accessTokenMs = config.accessTokenMinutes * 60_000;
    const issuing = { store, tables, clock, random, keys, grants, quotas, nodeUrl };
    const file = join(node.dataFolder, SPENT_TOKENS.file);
    const kinds = [spentSecrets({ store, tables, clock })];
    const kept = keepWithdrawals(context, { topic: SECRETS_SPENT, tables, clock, file, kinds, isOver: isOverEntry });
    const withdraw = (secret: StoredSecret) => kept.add([entryOfSecret(secret)]);
    const tokens = new OAuthTokens({ ...issuing, served, accessTokenMs, withdraw });
    on(httpCredential, ({ token }) => tokens.identify(token));
    on(keyReplaced, async ({ tenantId, formerId, id, transaction }) => {
      const own = tables.in(transaction);
      if ((await store.byKey(own, formerId)) !== undefined) {
        throw new ServiceError('authorization', 'a remote client cannot rotate its hidden key');
      }
      await store.movePersonKey(own, tenantId, formerId, id);
    });
    on(resourceIssued, () => nodeUrl);
    const { url: rootUrl, accessTokenIssuer } = use.metadata ?? {};
    const described = { nodeUrl, registration, hasRootDocument: rootUrl !== undefined, accessTokenIssuer };
    for (const document of metadataRoutes(described)) route(document);
    const consent = { ...issuing, served, maxGrantDays, authorizer, clients, tokens, provider: use.provider };
    route(authorizeRoute(consent));
    route(signInRoute(consent));
    if (use.provider?.isOffered === true) {
      route(leaveForProviderRoute({ ...consent, provider: use.provider }));
      route(returnFromProviderRoute({ ...consent, provider: use.provider }));
    }
    route(consentRoute(consent));
    route(tokenRoute({ tokens, clients }));
    route(revokeTokenRoute({ tokens, clients }));
    if (registration) route(registerClientRoute({ tokens, clients }));
    route(listGrantsRoute(grants));
    route(endGrantRoute(grants));
    every(SWEEP_INTERVAL_MS, async () => {
      await grants.sweep();
      await clients.prune();
    });
  },
});
