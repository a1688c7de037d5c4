import { encodeBase64Url } from '../../kernel/internal-api.ts';
import {
  type Authorizer,
  type Clock,
  type PluginTables,
  type Principal,
  type Random,
  type Reply,
  type ServedTenants,
  ServiceError,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import type { KeyRegistry } from '../keys/keys-api.ts';
import type { CodeSignIn } from '../oidc/oidc-api.ts';
import type { Quotas } from '../rate-limits/rate-limits-api.ts';
import { type AuthorizationQuery, RedirectedError } from './authorization-request.ts';
import type { ClientDirectory } from './client-directory.ts';
import { type Asking, consentPage, queryText } from './consent-pages.ts';
import type { GrantStore, StoredConsent } from './grant-store.ts';
import { OAuthError } from './oauth-error.ts';
import type { OAuthGrants } from './oauth-grants.ts';
import { refusalPage } from './oauth-pages.ts';
import type { OAuthTokens } from './oauth-tokens.ts';
import { browserCookie } from './own-page.ts';
import { withParameters } from './redirect-uri.ts';

const CONSENT_SECONDS = 600;
const TICKET_BYTES = 32;
const DAYS = [30, 1, 90];

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
  readonly served: ServedTenants;
  /** The sign-in by the identity provider; undefined where the node has none. */
  readonly provider: CodeSignIn | undefined;
}

/** The node's own forms get a refusal as an HTML page. A malformed form gets a problem document. */
const REFUSED = ['text/html', 'application/problem+json'];

export const PAGES = {
  200: { text: ['text/html'] },
  303: {},
  400: { text: REFUSED },
  401: { text: REFUSED },
  403: { text: REFUSED },
  409: { text: REFUSED },
  503: { text: REFUSED },
} as const;

/** Stores a pending consent of a person who has signed in, and returns the consent page. */
export const offer = async (asking: Asking, person: Principal, parts: ConsentParts): Promise<Reply> => {
  const { clock, random, tables, store, grants, nodeUrl, maxGrantDays } = parts;
  if (person.keyId === null || !asking.request.permissions.some((asked) => person.permissions.has(asked))) {
    return refusalPage(403, 'You have none of the rights that the program asks for.');
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
    cookie: browserCookie(nodeUrl, browser, { seconds: CONSENT_SECONDS }),
  });
};

/** Returns the parameters of an authorization request in a form or cookie of the node. */
export const queryOf = (text: string): AuthorizationQuery => Object.fromEntries(new URLSearchParams(text));

export const foreignForm = (): Reply => refusalPage(403, 'This form was sent by a page of another site.');

/** Redirects with 303, which makes the browser drop the form. So the client never receives the person's key. */
export const redirect = (location: string, cookie?: string): Reply => ({
  status: 303,
  headers: {
    Location: location,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    ...(cookie !== undefined && { 'Set-Cookie': cookie }),
  },
});

/**
 * Returns the reply of `answer`. Every refusal becomes a page for the person. For a `RedirectedError`, the page links
 * to the client; with `isDecision` the reply redirects there. Without a decision it never redirects, because anybody
 * could register a client and use the node to redirect people to any address.
 */
export const orPage = async (
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
    if (error instanceof ServiceError && [403, 409, 503].includes(error.status)) {
      return refusalPage(error.status, error.message);
    }
    throw error;
  }
};
