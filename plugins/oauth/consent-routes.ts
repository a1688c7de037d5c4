import { objectRequiring } from '../../kernel/internal-api.ts';
import { type Route, SCOPES, type Scope, sha256Hex } from '../../kernel/plugin-api.ts';
import { OFFERED_PERMISSIONS, RedirectedError, readAuthorization } from './authorization-request.ts';
import { type ConsentParts, foreignForm, orPage, PAGES, queryOf, redirect } from './consent-offer.ts';
import { refusalPage } from './oauth-pages.ts';
import { isFromOwnPage, keptInBrowser, PAGE_HEADERS } from './own-page.ts';
import { withParameters } from './redirect-uri.ts';

const MAX_CHOICES = 100;

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
  body: objectRequiring<ConsentForm>(['ticket', 'decision'], {
    ticket: { type: 'string', maxLength: 100 },
    decision: { type: 'string', enum: ['allow', 'read_only', 'deny'] },
    permission: { type: 'array', maxItems: MAX_CHOICES, items: { type: 'string', enum: OFFERED_PERMISSIONS } },
    scope: { type: 'array', maxItems: MAX_CHOICES, items: { type: 'string', enum: SCOPES } },
    garden: { type: 'array', maxItems: MAX_CHOICES, items: { type: 'string', maxLength: 100 } },
    days: { type: 'integer', minimum: 1, maximum: parts.maxGrantDays },
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
      if (!isFromOwnPage(request, parts.nodeUrl)) return foreignForm();
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
