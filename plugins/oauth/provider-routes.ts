import { encodeBase64Url, objectSchema } from '../../kernel/internal-api.ts';
import { type Random, type Route, ServiceError } from '../../kernel/plugin-api.ts';
import type { BegunSignIn, CodeSignIn, SignInAnswer } from '../oidc/oidc-api.ts';
import {
  AUTHORIZATION_PROPERTIES,
  type AuthorizationQuery,
  OFFERED_PERMISSIONS,
  readAuthorization,
} from './authorization-request.ts';
import { type ConsentParts, offer, orPage, PAGES, queryOf, redirect } from './consent-offer.ts';
import { queryText } from './consent-pages.ts';
import { refusalPage } from './oauth-pages.ts';
import { browserCookie, COOKIE_HEADER, isFromOwnPage, keptInBrowser, PAGE_HEADERS } from './own-page.ts';
import { askPerson, EXAMPLE_QUERY } from './sign-in-routes.ts';

/** The path to which the identity provider returns the browser. */
const RETURN_PATH = '/oauth/signed-in';
const SECRET_BYTES = 32;
const SIGN_IN_SECONDS = 600;
/** A browser stores at most 4,096 bytes in a cookie. */
const MAX_REQUEST = 3_500;

export interface ProviderParts extends ConsentParts {
  readonly provider: CodeSignIn;
}

/**
 * `GET /oauth/provider`: sends the browser to the identity provider (authorization code with PKCE). It is a link
 * instead of a form, because a page's content security policy applies to all redirects after its forms, and providers
 * redirect between hosts.
 */
export const leaveForProviderRoute = (parts: ProviderParts): Route<undefined, AuthorizationQuery> => ({
  method: 'GET',
  path: '/oauth/provider',
  summary: 'Sends a person to the identity provider, to sign in for the consent page',
  access: 'open',
  query: objectSchema<AuthorizationQuery>(AUTHORIZATION_PROPERTIES),
  headers: PAGE_HEADERS,
  holdsSecret: true,
  answers: PAGES,
  example: { query: EXAMPLE_QUERY, headers: { 'Sec-Fetch-Site': 'same-origin' }, status: 303 },
  handle: (request) =>
    orPage(parts, { isDecision: false }, async () => {
      const asking = await readAuthorization(request.query, parts);
      // A page of another site must not start a sign-in for the person.
      if (!isFromOwnPage(request, parts.nodeUrl)) return askPerson(asking, parts);
      const query = queryText(asking.request);
      if (query.length > MAX_REQUEST) return askPerson(asking, parts, 'The request is too long. Use a key.');
      const [state, verifier, salt] = [draw(parts.random), draw(parts.random), draw(parts.random)];
      const address = await parts.provider.begin(purposeOf(parts.nodeUrl, { verifier, salt }), state);
      const kept = ['provider', state, verifier, salt, query].join('.');
      // The return is a navigation from another site, for which a browser sends no strict cookie.
      return redirect(address, browserCookie(parts.nodeUrl, kept, { seconds: SIGN_IN_SECONDS, sameSite: 'Lax' }));
    }),
});

interface ReturnQuery {
  readonly state?: string;
  readonly code?: string;
  readonly iss?: string;
  readonly error?: string;
}

const text = { type: 'string', maxLength: 4_096 } as const;

/** `GET /oauth/signed-in`: takes the answer of the identity provider, and returns the consent page. */
export const returnFromProviderRoute = (parts: ProviderParts): Route<undefined, ReturnQuery> => ({
  method: 'GET',
  path: RETURN_PATH,
  summary: 'Takes the answer of the identity provider, and shows the consent page',
  access: 'open',
  dimension: 'token_issue',
  query: objectSchema<ReturnQuery>({ state: text, code: text, iss: text, error: text }),
  headers: COOKIE_HEADER,
  holdsSecret: true,
  answers: PAGES,
  example: {
    query: { state: 'xN2cXzW3wzGm0aVt8Vq0bYkq1cUe5dJr7fLh9sPoQiE', code: 'a-code-of-the-provider' },
    status: 400,
  },
  handle: (request) =>
    orPage(parts, { isDecision: false }, async () => {
      const { state, code, iss: issuer } = request.query;
      const begun = readBegun(keptInBrowser(request, parts.nodeUrl));
      // Any page can send a browser here, but only the provider and this browser know the state.
      if (begun === undefined || state !== begun.state) {
        return refusalPage(400, 'This sign-in is too old, or was begun in another browser.');
      }
      const asking = await readAuthorization(queryOf(begun.query), parts);
      const keyId = code === undefined ? undefined : await finish(begun, { code, issuer }, parts);
      const person = keyId && (await parts.tables.read((_, snapshot) => parts.keys.principalOf(keyId, snapshot)));
      if (!person) return askPerson(asking, parts, 'The identity provider did not sign you in.');
      return parts.served.isServed(person.tenantId)
        ? offer(asking, person, parts)
        : refusalPage(403, 'Your tenant is suspended.');
    }),
});

interface KeptSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly salt: string;
  /** The request of the client, as query text. */
  readonly query: string;
}

/** Returns the sign-in in the cookie of this browser; undefined without one. */
const readBegun = (cookie = ''): KeptSignIn | undefined => {
  const [, state, verifier, salt, query] = BEGUN.exec(cookie) ?? [];
  if (state === undefined || verifier === undefined || salt === undefined || query === undefined) return undefined;
  return { state, verifier, salt, query };
};

const BEGUN = /^provider\.([\w-]{43})\.([\w-]{43})\.([\w-]{43})\.(.*)$/;

const purposeOf = (nodeUrl: string, { verifier, salt }: Pick<KeptSignIn, 'verifier' | 'salt'>): BegunSignIn => ({
  redirectUri: `${nodeUrl}${RETURN_PATH}`,
  codeVerifier: verifier,
  salt,
  permissions: OFFERED_PERMISSIONS,
});

/** Returns the id of the person's key; undefined if the provider or this node refuses the answer. */
const finish = async (
  begun: KeptSignIn,
  answer: SignInAnswer,
  { nodeUrl, provider }: ProviderParts,
): Promise<string | undefined> => {
  try {
    return await provider.finish(purposeOf(nodeUrl, begun), answer);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) return undefined;
    throw error;
  }
};

const draw = (random: Random): string => encodeBase64Url(random.bytes(SECRET_BYTES));
