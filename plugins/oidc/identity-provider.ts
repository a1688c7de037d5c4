import { type Clock, ServiceError, type Transport } from '../../kernel/plugin-api.ts';
import { checkClaims } from './check-claims.ts';
import { type Discovery, discover } from './discovery.ts';
import { askProvider, fetchDocument, type JsonObject, memberOf, providerFailure } from './fetch-document.ts';
import { KeptLoad } from './kept-load.ts';
import type { SignInPlace } from './oidc-api.ts';
import type { OidcSettings } from './oidc-settings.ts';
import { readObject, readToken, type TokenUse, type UnverifiedToken } from './read-id-token.ts';
import { SigningKeys } from './signing-keys.ts';
import { codesAreOff, invalidToken } from './token-refusal.ts';

const MINUTE_MS = 60_000;

/**
 * The times of cached documents. After a failure, no request is sent for some seconds, so that callers do not wait one
 * after another.
 */
const TIMES = { freshMs: 10 * MINUTE_MS, staleMs: 60 * MINUTE_MS, retryMs: 5_000, renewMs: 30_000 };

/**
 * The maximum number of codes that are redeemed at the same time. Each holds a connection, and callers need no
 * credential.
 */
const MAX_REDEEMING = 16;

/** An authorization code, with the verifier that proves who started the sign-in. */
export interface CodeGrant {
  readonly code: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

/** A person whom the identity provider has authenticated. */
export interface VerifiedPerson {
  readonly subject: string;
  readonly claims: JsonObject;
}

export interface ProviderParts {
  readonly settings: OidcSettings;
  readonly transport: Pick<Transport, 'send'>;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
}

interface Loaded {
  readonly discovery: Discovery;
  readonly keys: SigningKeys;
}

/** The identity provider from the settings. Its methods reject with `unavailable` if it cannot be reached. */
export class IdentityProvider {
  readonly #parts: ProviderParts;
  readonly #loaded: KeptLoad<Loaded>;
  #redeeming = 0;

  constructor(parts: ProviderParts) {
    this.#parts = parts;
    this.#loaded = new KeptLoad(() => load(parts), parts.clock, TIMES);
  }

  /** Rejects with `authentication` if the token is not a valid id token for this node. */
  async verify(token: string): Promise<VerifiedPerson> {
    const { issuerUrl: issuer, audience, clientId } = this.#parts.settings;
    const claims = await this.#signedClaims(token, 'id');
    const audiences = [audience, clientId].filter((one) => one !== '');
    return { subject: checkClaims(claims, { issuer, audiences, nowSeconds: this.#nowSeconds() }), claims };
  }

  /** Rejects with `authentication` if the token is not a valid access token for this node. */
  async verifyAccess(token: string): Promise<VerifiedPerson> {
    const { issuerUrl: issuer, accessTokenAudience } = this.#parts.settings;
    const claims = await this.#signedClaims(token, 'access');
    // The token is valid only together with a proof of its client's key, which this node does not check.
    if (Object.hasOwn(claims, 'cnf')) throw invalidToken('the token is bound to a key of its client');
    const expected = { issuer, audiences: [accessTokenAudience], nowSeconds: this.#nowSeconds(), isForOthers: true };
    return { subject: checkClaims(claims, expected), claims };
  }

  #nowSeconds(): number {
    return this.#parts.clock.nowMs() / 1_000;
  }

  /** Returns the claims of a token that the provider has signed. */
  async #signedClaims(token: string, use: TokenUse): Promise<JsonObject> {
    const unverified = readToken(token, { use, algorithms: this.#parts.settings.algorithms });
    // The provider may have changed its keys since the last load, so a failure loads them again.
    const isSigned =
      (await isSignedBy(await this.#loaded.get(), token, unverified)) ||
      (await isSignedBy(await this.#loaded.renewed(), token, unverified));
    if (!isSigned) throw invalidToken('the token is not signed by a key of the identity provider');
    return readObject(unverified.payload, 'payload');
  }

  /** Returns the address at which people sign in as the client of this node. */
  async signInPlace(): Promise<SignInPlace> {
    const { issuerUrl: issuer, clientId } = this.#parts.settings;
    if (clientId === '') throw codesAreOff();
    const { authorizationEndpoint, namesIssuer } = (await this.#loaded.get()).discovery;
    if (authorizationEndpoint === undefined) throw providerFailure('it has no authorization endpoint');
    return { issuer, clientId, authorizationEndpoint, namesIssuer };
  }

  /** Returns the id token for a code. Rejects with `authentication` when the provider refuses the code. */
  async redeem({ code, codeVerifier, redirectUri }: CodeGrant): Promise<string> {
    const { settings, transport } = this.#parts;
    const { issuerUrl: issuer, clientId } = settings;
    if (clientId === '') throw codesAreOff();
    const { tokenEndpoint: url } = (await this.#loaded.get()).discovery;
    if (url === undefined) throw providerFailure('it has no token endpoint');
    if (this.#redeeming >= MAX_REDEEMING) {
      throw new ServiceError('unavailable', 'too many codes are being redeemed: try again', {
        headers: { 'Retry-After': '1' },
      });
    }
    this.#redeeming += 1;
    try {
      const form = {
        grant_type: 'authorization_code',
        client_id: clientId,
        code,
        code_verifier: codeVerifier,
        redirect_uri: redirectUri,
      };
      return idTokenOf(await askProvider(transport, { issuer, url, form }));
    } finally {
      this.#redeeming -= 1;
    }
  }
}

const load = async ({ settings: { issuerUrl: issuer }, transport }: ProviderParts): Promise<Loaded> => {
  const discovery = await discover(transport, issuer);
  const keys = await fetchDocument(transport, { issuer, url: discovery.jwksUri }, 'key document');
  return { discovery, keys: new SigningKeys(keys) };
};

const isSignedBy = async ({ keys }: Loaded, token: string, { algorithm, keyId }: UnverifiedToken): Promise<boolean> => {
  // Loads the library here, because most nodes have no identity provider.
  const { compactVerify } = await import('jose');
  for (const candidate of keys.candidates(algorithm, keyId)) {
    try {
      await compactVerify(token, await candidate(), { algorithms: [algorithm] });
      return true;
    } catch {
      // A wrong signature and an invalid key both mean that the token is not signed.
    }
  }
  return false;
};

const idTokenOf = ({ status, document }: Awaited<ReturnType<typeof askProvider>>): string => {
  const token = memberOf(document, 'id_token');
  if (status === 200 && typeof token === 'string') return token;
  if (status === 200) throw providerFailure('it gave no id token for a code');
  // Only `invalid_grant` concerns the code. Other errors mean a wrong client or wrong settings.
  if (memberOf(document, 'error') === 'invalid_grant') throw invalidToken('the identity provider refused the code');
  throw providerFailure(`its token endpoint has the status ${status}`);
};
