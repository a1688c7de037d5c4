import {
  type Authorizer,
  type Clock,
  encodeBase64Url,
  type PluginTables,
  type Principal,
  type Random,
  type Reply,
  type Route,
  SCOPES,
  type Scope,
  ServiceError,
  schema,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import type { KeyRegistry } from '../keys/keys-api.ts';
import type { Quotas } from '../rate-limits/rate-limits-api.ts';
import {
  AUTHORIZATION_PROPERTIES,
  type AuthorizationQuery,
  OFFERED_PERMISSIONS,
  RedirectedError,
  readAuthorization,
} from './authorization-request.ts';
import type { ClientDirectory } from './client-directory.ts';
import { type Asking, consentPage, queryText, signInPage } from './consent-pages.ts';
import type { GrantStore, StoredConsent } from './grant-store.ts';
import { OAuthError } from './oauth-error.ts';
import type { OAuthGrants } from './oauth-grants.ts';
import { refusalPage } from './oauth-pages.ts';
import type { OAuthTokens } from './oauth-tokens.ts';
import { browserCookie, isOwnForm, keptInBrowser, PAGE_HEADERS } from './own-page.ts';
import { withParameters } from './redirect-uri.ts';

const CONSENT_SECONDS = 600;
const TICKET_BYTES = 32;
const DAYS = [30, 1, 90];
const MAX_CHOICES = 100;

export interface ConsentParts {
  readonly nodeUrl: string;
  readonly maxGrantDays: number;
  readonly authorizer: Authorizer;
  readonly keys: KeyRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly tables: PluginTables;
  readonly store: GrantStore;
  readonly clients: ClientDirectory;
  readonly grants: OAuthGrants;
  readonly tokens: OAuthTokens;
  readonly quotas: Quotas | undefined;
}

/** A refusal of the node's own forms is an HTML page. A malformed form gets a problem document. */
const REFUSED = ['text/html', 'application/problem+json'];

const PAGES = {
  200: { text: ['text/html'] },
  303: {},
  400: { text: REFUSED },
  401: { text: REFUSED },
  403: { text: REFUSED },
  409: { text: REFUSED },
  503: { text: REFUSED },
} as const;

const EXAMPLE_QUERY = {
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
  query: schema<AuthorizationQuery>({ type: 'object', properties: AUTHORIZATION_PROPERTIES }),
  answers: PAGES,
  example: { query: EXAMPLE_QUERY },
  handle: ({ query }) =>
    orPage(parts, { isDecision: false }, async () => signInPage(await readAuthorization(query, parts), parts.nodeUrl)),
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
  body: schema<SignInForm>({
    type: 'object',
    required: ['request', 'key'],
    properties: { request: { type: 'string', maxLength: 16_384 }, key: { type: 'string', maxLength: 1_024 } },
  }),
  headers: PAGE_HEADERS,
  holdsSecret: true,
  answers: PAGES,
  example: { body: { request: new URLSearchParams(EXAMPLE_QUERY).toString(), key: 'a-key-of-this-node' } },
  handle: (request) =>
    orPage(parts, { isDecision: false }, async () => {
      if (!isOwnForm(request, parts.nodeUrl)) return foreignForm();
      const asking = await readAuthorization(queryOf(request.body.request), parts);
      const person = await signedIn(request.body.key.trim(), parts.authorizer);
      if (person === undefined) {
        return signInPage(asking, parts.nodeUrl, { problem: 'The node does not accept this key. Check it.' });
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

const offer = async (asking: Asking, person: Principal, parts: ConsentParts): Promise<Reply> => {
  const { clock, random, tables, store, grants, nodeUrl, maxGrantDays } = parts;
  if (person.keyId === null || !asking.request.permissions.some((asked) => person.permissions.has(asked))) {
    return refusalPage(403, 'Your key has none of the rights that the program asks for.');
  }
  const ticket = encodeBase64Url(random.bytes(TICKET_BYTES));
  const browser = encodeBase64Url(random.bytes(TICKET_BYTES));
  const consent: StoredConsent = {
    tenantId: person.tenantId,
    digest: sha256Hex(ticket),
    browser: sha256Hex(browser),
    keyId: person.keyId,
    request: queryText(asking.request),
    expiresMs: clock.nowMs() + CONSENT_SECONDS * 1_000,
  };
  await tables.write(person.tenantId, (own) => store.insertConsent(own, consent));
  const days = DAYS.filter((count) => count <= maxGrantDays);
  return consentPage(asking, nodeUrl, {
    person,
    gardens: await grants.offeredGardens(person),
    days: days.includes(30) ? days : [maxGrantDays, ...days],
    endsMs: await grants.endOfKey(person),
    ticket,
    cookie: browserCookie(nodeUrl, browser, CONSENT_SECONDS),
  });
};

interface ConsentForm {
  readonly ticket: string;
  readonly decision: 'allow' | 'read_only' | 'deny';
  readonly permission?: readonly string[];
  readonly scope?: readonly Scope[];
  readonly garden?: readonly string[];
  readonly days?: number;
}

/** `POST /oauth/consent`: takes the person's decision, and redirects the browser to the client. */
export const consentRoute = (parts: ConsentParts): Route<undefined, undefined, ConsentForm> => ({
  method: 'POST',
  path: '/oauth/consent',
  summary: 'Takes the decision of a person, and sends the browser back to the client',
  access: 'open',
  bodyForm: 'form',
  bodyLimit: 'small',
  body: schema<ConsentForm>({
    type: 'object',
    required: ['ticket', 'decision'],
    properties: {
      ticket: { type: 'string', maxLength: 100 },
      decision: { type: 'string', enum: ['allow', 'read_only', 'deny'] },
      permission: { type: 'array', maxItems: MAX_CHOICES, items: { type: 'string', enum: OFFERED_PERMISSIONS } },
      scope: { type: 'array', maxItems: MAX_CHOICES, items: { type: 'string', enum: SCOPES } },
      garden: { type: 'array', maxItems: MAX_CHOICES, items: { type: 'string', maxLength: 100 } },
      days: { type: 'integer', minimum: 1, maximum: parts.maxGrantDays },
    },
  }),
  headers: PAGE_HEADERS,
  holdsSecret: true,
  answers: PAGES,
  example: {
    body: {
      ticket: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      decision: 'read_only',
      permission: ['read'],
      scope: ['local'],
      days: 30,
    },
    status: 303,
  },
  handle: (request) =>
    orPage(parts, { isDecision: true }, async () => {
      if (!isOwnForm(request, parts.nodeUrl)) return foreignForm();
      const taken = await take(request.body.ticket, keptInBrowser(request, parts.nodeUrl), parts);
      if (taken === undefined)
        return refusalPage(400, 'This page is too old, was used before, or belongs to another browser.');
      const { asking, person } = taken;
      const { redirectUri, state, permissions } = asking.request;
      if (request.body.decision === 'deny') {
        throw new RedirectedError('access_denied', 'the person refused', { redirectUri, state });
      }
      const { permission = [], scope = [], garden = [], days = 1, decision } = request.body;
      const chosen = decision === 'read_only' ? ['read'] : permission;
      const choice = {
        permissions: chosen.filter((one) => permissions.includes(one) && person.permissions.has(one)),
        scopes: scope.filter((one) => person.allowedScopes.has(one)),
        gardens: garden,
        days,
      };
      if (choice.permissions.length === 0 || choice.scopes.length === 0) {
        throw new RedirectedError('access_denied', 'the person granted nothing', { redirectUri, state });
      }
      const grant = await parts.grants.give(person, asking.request, asking.client, choice);
      await parts.clients.use(asking.client.clientId);
      const code = await parts.tokens.code(grant, asking.request);
      return redirect(withParameters(redirectUri, { code, state, iss: parts.nodeUrl }));
    }),
});

/**
 * Deletes and returns a pending consent. Undefined for an unknown, used or expired ticket, and for a ticket of another
 * browser.
 */
const take = async (ticket: string, browser: string | undefined, parts: ConsentParts) => {
  const { tables, store, clock, keys } = parts;
  const found = await tables.read((own) => store.consent(own, sha256Hex(ticket)));
  if (found === undefined || browser === undefined || found.browser !== sha256Hex(browser)) return undefined;
  const person = await tables.write(found.tenantId, async (own, transaction) =>
    (await store.takeConsent(own, found)) ? keys.principalOf(found.keyId, transaction) : undefined,
  );
  if (person === undefined || found.expiresMs <= clock.nowMs()) return undefined;
  return { person, asking: await readAuthorization(queryOf(found.request), parts) };
};

const queryOf = (text: string): AuthorizationQuery => Object.fromEntries(new URLSearchParams(text));

const foreignForm = (): Reply => refusalPage(403, 'This form was sent by a page of another site.');

/** Redirects with 303, which makes the browser drop the form. So the client never receives the person's key. */
const redirect = (location: string): Reply => ({
  status: 303,
  headers: { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
});

/**
 * Returns the reply of `answer`. Every refusal becomes a page for the person; a `RedirectedError` has a link to the
 * client. With `isDecision` it redirects. Otherwise anybody could register a client, and let the node redirect to it.
 */
const orPage = async (
  { nodeUrl }: ConsentParts,
  { isDecision }: { readonly isDecision: boolean },
  answer: () => Promise<Reply>,
): Promise<Reply> => {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof RedirectedError) {
      const { code, message, redirectUri, state } = error;
      const told = { error: code, error_description: message, state, iss: nodeUrl };
      const location = withParameters(redirectUri, told);
      return isDecision
        ? redirect(location)
        : refusalPage(400, `The request of the program is wrong: ${message}.`, location);
    }
    if (error instanceof OAuthError)
      return refusalPage(error.code === 'temporarily_unavailable' ? 503 : 400, error.message);
    if (error instanceof ServiceError && (error.status === 403 || error.status === 409)) {
      return refusalPage(error.status, error.message);
    }
    throw error;
  }
};
