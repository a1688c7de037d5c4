import { FactClient } from '../../../../client/client.ts';
import { askOpenly, consolePath, nodeUrl } from '../kit/platform.ts';

/** Returns the address to which the identity provider returns the reader. It must be registered there. */
const returnUrl = (): string => `${nodeUrl()}/console/signed-in`;

const PLACE = 'console.signing-in';
const SECRET_BYTES = 32;
const SCOPE = 'openid email profile';
/** The requested permissions. The node leaves out those beyond the person's role. */
const ASKED_PERMISSIONS = ['read', 'write', 'admin'] as const;

interface Begun {
  readonly state: string;
  readonly verifier: string;
  readonly issuer: string;
}

interface SignInPlace {
  readonly issuer: string;
  readonly client_id: string;
  readonly authorization_endpoint: string;
}

/** A refusal by the provider, or a return that does not belong to this tab. */
export class SignInRefusal extends Error {}

/** Leads to the identity provider (OAuth 2.0 authorization code with PKCE, RFC 7636). Leaves the page. */
export const leaveForProvider = async (): Promise<void> => {
  const { sign_in: place } = await askOpenly<{ readonly sign_in: SignInPlace | null }>('/console/sign-in.json');
  if (place === null) throw new SignInRefusal('unreachable');
  const begun: Begun = { state: drawSecret(), verifier: drawSecret(), issuer: place.issuer };
  sessionStorage.setItem(PLACE, JSON.stringify(begun));
  const address = new URL(place.authorization_endpoint);
  const asked = {
    response_type: 'code',
    client_id: place.client_id,
    redirect_uri: returnUrl(),
    scope: SCOPE,
    state: begun.state,
    code_challenge: await challengeOf(begun.verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
  location.assign(address.href);
};

/**
 * Exchanges the provider's code for a key; undefined if the reader does not return from the provider. The code leaves
 * the address and the history at once. The node redeems it with the verifier that only this tab knows.
 */
export const returnFromProvider = async (): Promise<string | undefined> => {
  if (location.origin + location.pathname !== returnUrl()) return undefined;
  const query = new URLSearchParams(location.search);
  history.replaceState(null, '', consolePath());
  const begun = takeBegun();
  const code = query.get('code');
  const sentBy = query.get('iss');
  // Any page can send a browser here. Only the provider knows the state.
  if (begun === undefined || query.get('state') !== begun.state) throw new SignInRefusal('foreign');
  if (code === null || (sentBy !== null && sentBy !== begun.issuer)) throw new SignInRefusal('refused');
  const client = new FactClient({ url: nodeUrl(), retries: 0 });
  const { api_key: key } = await client.call('POST /v1/auth/oidc/exchange', {
    body: {
      code,
      code_verifier: begun.verifier,
      redirect_uri: returnUrl(),
      permissions: ASKED_PERMISSIONS,
      client: 'console',
    },
  });
  return key;
};

const takeBegun = (): Begun | undefined => {
  const text = sessionStorage.getItem(PLACE);
  sessionStorage.removeItem(PLACE);
  return text === null ? undefined : (JSON.parse(text) as Begun);
};

const drawSecret = (): string => spell(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));

const challengeOf = async (verifier: string): Promise<string> =>
  spell(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));

const spell = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
