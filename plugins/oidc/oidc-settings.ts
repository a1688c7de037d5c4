import { isLoopbackHost, objectSchema } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';

export interface OidcSettings {
  readonly enabled: boolean;
  /** The issuer, exactly as in the tokens of the provider. */
  readonly issuerUrl: string;
  readonly audience: string;
  /** The audience of accepted access tokens; empty if the node accepts none. */
  readonly accessTokenAudience: string;
  readonly clientId: string;
  readonly tokenTtlHours: number;
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly allowedDomains: readonly string[];
  readonly roleClaim: string;
}

/**
 * Only asymmetric algorithms: with a shared key, a verifier could sign as well, and an unsigned token proves nothing.
 */
export const SIGNATURE_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];

const text = { type: 'string', maxLength: 2_048, default: '' } as const;

export const oidcSettings = objectSchema<OidcSettings>({
  enabled: {
    type: 'boolean',
    default: false,
    env: 'SVC_OIDC_ENABLED',
    description: 'whether people get keys for tokens of the identity provider',
  },
  issuerUrl: {
    ...text,
    env: 'SVC_OIDC_ISSUER_URL',
    description: 'address of the identity provider, exactly as it names itself; https, or http on this machine',
  },
  audience: {
    ...text,
    env: 'SVC_OIDC_AUDIENCE',
    description: 'audience that id tokens must name; empty for the client id alone',
  },
  accessTokenAudience: {
    ...text,
    env: 'SVC_OIDC_ACCESS_TOKEN_AUDIENCE',
    description: 'audience of access tokens (JWT) that callers may send in place of a key; empty: none are taken',
  },
  clientId: {
    ...text,
    env: 'SVC_OIDC_CLIENT_ID',
    description: 'public client as which the node redeems authorization codes; tokens for it are taken as well',
  },
  tokenTtlHours: {
    type: 'integer',
    minimum: 1,
    maximum: 720,
    default: 8,
    env: 'SVC_OIDC_TOKEN_TTL_HOURS',
    description: 'life of a key that is given for a token, in hours; no key outlives maxAgeDays of the plugin keys',
  },
  algorithms: {
    type: 'array',
    minItems: 1,
    items: { type: 'string', enum: SIGNATURE_ALGORITHMS },
    default: ['RS256', 'ES256', 'PS256', 'EdDSA'],
    env: 'SVC_OIDC_ID_TOKEN_ALGORITHMS',
    description: 'algorithms by which id tokens may be signed',
  },
  allowedDomains: {
    type: 'array',
    items: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9.-]*$', maxLength: 253 },
    default: [],
    env: 'SVC_OIDC_ALLOWED_DOMAINS',
    description: 'domains of verified e-mail addresses that are let in, without their subdomains; empty lets in all',
  },
  roleClaim: {
    type: 'string',
    minLength: 1,
    maxLength: 256,
    default: 'roles',
    env: 'SVC_OIDC_ROLE_CLAIM',
    description: 'claim of the id token that says admin, writer or reader, as a text or a list',
  },
});

/** Throws `validation` for settings that cannot work together. */
export const checkOidcSettings = (settings: OidcSettings): void => {
  const { enabled, issuerUrl, audience, clientId, accessTokenAudience } = settings;
  if (!enabled) return;
  if (!isIssuer(issuerUrl)) {
    throw new ServiceError('validation', 'SVC_OIDC_ISSUER_URL does not name an identity provider', {
      hint: 'give its https address without query and fragment (http only on this machine), or set SVC_OIDC_ENABLED=false',
    });
  }
  if (audience === '' && clientId === '') {
    throw new ServiceError('validation', 'nothing says which tokens of the identity provider are meant for this node', {
      hint: 'set SVC_OIDC_AUDIENCE or SVC_OIDC_CLIENT_ID',
    });
  }
  if (accessTokenAudience !== '' && [audience, clientId].includes(accessTokenAudience)) {
    throw new ServiceError('validation', 'id tokens would count as access tokens, because both have one audience', {
      hint: 'give SVC_OIDC_ACCESS_TOKEN_AUDIENCE a value of its own, such as the address of the node',
    });
  }
};

/** Returns true for an allowed address of an issuer: an https address, or one of this machine. */
export const isIssuer = (issuer: string): boolean => {
  if (!URL.canParse(issuer)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(issuer);
  const isPlain = username === '' && password === '' && search === '' && hash === '' && !/[?#\s]/.test(issuer);
  return isPlain && (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname)));
};
