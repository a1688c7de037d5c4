import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import {
  Clock,
  httpCredential,
  NodeSelf,
  nodeMetadata,
  optional,
  Permissions,
  ServedTenants,
  ServiceError,
  Transport,
  Vocabulary,
} from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { SubjectKeys } from '../keys/keys-api.ts';
import { Quotas } from '../rate-limits/rate-limits-api.ts';
import { ACCESS_TOKEN_PRINCIPAL, callerOfToken } from './access-tokens.ts';
import { createCodeSignIn } from './code-sign-in.ts';
import { exchangeRoute } from './exchange-route.ts';
import { IdentityProvider } from './identity-provider.ts';
import { loginCommands } from './login-commands.ts';
import { CodeSignIn, ResourceMetadata, resourceIssued } from './oidc-api.ts';
import { checkOidcSettings, oidcSettings } from './oidc-settings.ts';
import { OIDC_DISABLED } from './oidc-words.ts';
import { RESOURCE_METADATA_PATH, resourceMetadataRoute } from './resource-metadata-route.ts';

export const oidcPlugin = defineOwnPlugin({
  name: 'oidc',
  summary: 'Gives people short-lived keys for tokens of an identity provider; off until it is enabled',
  requires: {
    clock: Clock,
    self: NodeSelf,
    vocabulary: Vocabulary,
    transport: Transport,
    served: ServedTenants,
    keys: optional(SubjectKeys),
    quotas: optional(Quotas),
    audit: optional(AuditLog),
  },
  provides: [ResourceMetadata, CodeSignIn],
  declares: [ACCESS_TOKEN_PRINCIPAL, OIDC_DISABLED],
  config: oidcSettings,
  commands: loginCommands,
  inspect: ({ config }) => checkOidcSettings(config),
  setup({ config: settings, use, hooks, on, provide, route }) {
    const { clock, self, vocabulary, transport, served, keys = WITHOUT_KEYS, quotas, audit } = use;
    checkOidcSettings(settings);
    if (settings.enabled && use.keys === undefined) {
      throw new ServiceError('validation', 'oidc is on, and the node has no keys that people could get', {
        hint: 'switch the plugin keys on, or set SVC_OIDC_ENABLED=false',
      });
    }
    const provider = settings.enabled ? new IdentityProvider({ settings, transport, clock }) : undefined;
    const permissions = vocabulary.words(Permissions).map(({ id }) => id);
    const parts = { settings, nodeUrl: self.nodeUrl, provider, keys, quotas, audit };
    route(exchangeRoute({ ...parts, permissions }));
    const takesTokens = settings.enabled && settings.accessTokenAudience !== '';
    provide(ResourceMetadata, {
      url: settings.enabled ? `${self.nodeUrl}${RESOURCE_METADATA_PATH}` : undefined,
      accessTokenIssuer: takesTokens ? settings.issuerUrl : undefined,
    });
    provide(CodeSignIn, createCodeSignIn(parts));
    if (provider === undefined) return;
    if (takesTokens) {
      on(httpCredential, async ({ token }) => {
        const caller = await callerOfToken(token, { settings, provider, permissions });
        if (caller === undefined || served.isServed(caller.tenantId)) return caller;
        throw new ServiceError('authorization', 'the tenant is suspended: ask the operator of the node');
      });
    }
    const issuer = settings.issuerUrl;
    const clientId = settings.clientId === '' ? null : settings.clientId;
    on(nodeMetadata, () => ({ oidc: { issuer, client_id: clientId } }));
    const otherIssuers = () => hooks.collect(resourceIssued, {});
    route(resourceMetadataRoute(self, { issuer, clientId, otherIssuers }));
  },
});

const WITHOUT_KEYS: SubjectKeys = {
  issue: () => Promise.reject(new ServiceError('unavailable', 'the plugin "keys" is off, so nobody can sign in')),
};
