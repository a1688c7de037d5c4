import { objectRequiring, objectSchema } from '../../kernel/internal-api.ts';
import { type Authorizer, type Principal, type Reply, type Route, ServiceError } from '../../kernel/plugin-api.ts';
import { AUTHORIZATION_PROPERTIES, type AuthorizationQuery, readAuthorization } from './authorization-request.ts';
import { type ConsentParts, foreignForm, offer, orPage, PAGES, queryOf } from './consent-offer.ts';
import { type Asking, signInPage } from './consent-pages.ts';
import { isFromOwnPage, PAGE_HEADERS } from './own-page.ts';

export const EXAMPLE_QUERY = {
  response_type: 'code',
  client_id: 'https://assistant.example.com/client.json',
  redirect_uri: 'https://assistant.example.com/callback',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  state: 'af0ifjsldkj',
};

/** `GET /oauth/authorize`: the page to which a client sends a person (RFC 6749, with PKCE). */
export const authorizeRoute = (parts: ConsentParts): Route<undefined, AuthorizationQuery> => ({
  method: 'GET',
  path: '/oauth/authorize',
  summary: 'The page on which a person signs in to give a remote client access',
  access: 'open',
  query: objectSchema<AuthorizationQuery>(AUTHORIZATION_PROPERTIES),
  answers: PAGES,
  example: { query: EXAMPLE_QUERY },
  handle: ({ query }) =>
    orPage(parts, { isDecision: false }, async () => askPerson(await readAuthorization(query, parts), parts)),
});

interface SignInForm {
  readonly request: string;
  readonly key: string;
}

/** `POST /oauth/sign-in`: signs a person in by an API key, and returns the consent page. */
export const signInRoute = (parts: ConsentParts): Route<undefined, undefined, SignInForm> => ({
  method: 'POST',
  path: '/oauth/sign-in',
  summary: 'Signs a person in by a key of this node, for the consent page',
  access: 'open',
  dimension: 'token_issue',
  bodyForm: 'form',
  bodyLimit: 'small',
  body: objectRequiring<SignInForm>(['request', 'key'], {
    request: { type: 'string', maxLength: 16_384 },
    key: { type: 'string', maxLength: 1_024 },
  }),
  headers: PAGE_HEADERS,
  holdsSecret: true,
  answers: PAGES,
  example: { body: { request: new URLSearchParams(EXAMPLE_QUERY).toString(), key: 'a-key-of-this-node' } },
  handle: (request) =>
    orPage(parts, { isDecision: false }, async () => {
      if (!isFromOwnPage(request, parts.nodeUrl)) return foreignForm();
      const asking = await readAuthorization(queryOf(request.body.request), parts);
      const person = await signedIn(request.body.key.trim(), parts.authorizer);
      if (person === undefined) {
        return askPerson(asking, parts, 'The node does not accept this key. Check it.');
      }
      // Each sign-in stores a consent, and may store a grant.
      await parts.quotas?.take(person, 'token_issue');
      return offer(asking, person, parts);
    }),
});

/** Returns the person; undefined for a key that the node refuses. */
const signedIn = async (key: string, authorizer: Authorizer): Promise<Principal | undefined> => {
  try {
    return await authorizer.authenticate(key);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) return undefined;
    throw error;
  }
};

/** Returns the page on which a person signs in. `problem` gives the reason why the last attempt failed. */
export const askPerson = (asking: Asking, { nodeUrl, provider }: ConsentParts, problem?: string): Reply =>
  signInPage(asking, nodeUrl, { problem, hasProvider: provider?.isOffered === true });
