import { Provider } from 'oidc-provider';
import { type ProviderOptions, REDIRECT_URIS } from './provider-process.ts';

/** The program of a provider process: OpenID Connect with a login page that accepts any name. */
const { issuer, keys, algorithm, clientId }: ProviderOptions & { readonly issuer: string } = JSON.parse(
  String(process.env['PROVIDER_OPTIONS']),
);

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: clientId,
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: [...REDIRECT_URIS],
      id_token_signed_response_alg: algorithm as 'RS256',
    },
  ],
  jwks: { keys: keys as { kty: string }[] },
  enabledJWA: { idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256', 'EdDSA'] },
  cookies: { keys: ['cookies of a test'] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['roles'] },
  // The roles are in the id token itself.
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  features: { deviceFlow: { enabled: true }, devInteractions: { enabled: true } },
  findAccount: (_context, accountId) => ({
    accountId,
    claims: () => ({
      sub: accountId,
      email: `${accountId}@example.com`,
      email_verified: true,
      roles: accountId === 'alice' ? ['admin'] : ['writer'],
    }),
  }),
});

provider.listen(Number(new URL(issuer).port), '127.0.0.1', () => process.stdout.write('ready\n'));
// When the test process ends in any way, its end of the pipe closes.
process.stdin.on('end', () => process.exit(0)).resume();
