import { escapedHtml } from '../../kernel/internal-api.ts';
import { formatInstant, type Principal, type Reply } from '../../kernel/plugin-api.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { OAuthClient } from './client-directory.ts';
import { hostOf, type OfferedGarden } from './oauth-grants.ts';
import { pageReply } from './oauth-pages.ts';
import { policySource, shownHost } from './redirect-uri.ts';

export interface Asking {
  readonly client: OAuthClient;
  readonly request: AuthorizationRequest;
}

export interface SignInChoice {
  /** True if people can also sign in by the identity provider. */
  readonly hasProvider: boolean;
  /** The reason why the last attempt failed. */
  readonly problem: string | undefined;
}

/** Returns the page on which a person signs in. */
export const signInPage = (asking: Asking, nodeUrl: string, { problem, hasProvider }: SignInChoice): Reply => {
  const query = escapedHtml(queryText(asking.request));
  return pageReply({
    status: problem === undefined ? 200 : 401,
    title: 'Sign in to give access',
    body: `${introduction(asking, nodeUrl)}
${problem === undefined ? '' : `<p class="problem">${escapedHtml(problem)}</p>`}
${hasProvider ? `<p><a class="button" href="provider?${query}">Sign in with the identity provider</a></p>` : ''}
<form method="post" action="sign-in">
<input type="hidden" name="request" value="${query}">
<label>Your key of this node <input type="password" name="key" autocomplete="off" required></label>
<p>The program never sees your key.</p>
<button>Sign in</button>
</form>`,
  });
};

export interface ConsentOffer {
  readonly person: Principal;
  readonly gardens: readonly OfferedGarden[];
  /** The durations to choose from, in days; the default comes first. */
  readonly days: readonly number[];
  /** When the person's own key expires, in milliseconds since the epoch; null for a key without an expiry. */
  readonly endsMs: number | null;
  readonly ticket: string;
  readonly cookie: string;
}

/** Returns the page on which a person grants or refuses access. */
export const consentPage = (asking: Asking, nodeUrl: string, offer: ConsentOffer): Reply => {
  const { person, gardens, days, endsMs, ticket, cookie } = offer;
  const { request } = asking;
  const permissions = request.permissions.filter((permission) => person.permissions.has(permission));
  const end = endsMs === null ? '' : `<p>It ends with your sign-in at the latest, ${formatInstant(endsMs)}.</p>`;
  return pageReply({
    status: 200,
    title: 'Give access to your memory?',
    formTarget: policySource(request.redirectUri),
    cookie,
    body: `${introduction(asking, nodeUrl)}
<p>You are <code>${escapedHtml(person.entityUri)}</code>. After your answer, the browser goes to
<code>${escapedHtml(shownHost(request.redirectUri))}</code>.</p>
<form method="post" action="consent">
<input type="hidden" name="ticket" value="${escapedHtml(ticket)}">
<fieldset><legend>It may</legend>${permissions.map((name) => box('permission', name, RIGHTS[name] ?? name, true)).join('')}</fieldset>
<fieldset><legend>In these scopes</legend>${[...person.allowedScopes].map((name) => box('scope', name, name, true)).join('')}</fieldset>
${gardenFields(gardens)}
<fieldset><legend>For</legend>${days.map((count, at) => radio(count, at === 0)).join('')}${end}</fieldset>
<button name="decision" value="allow">Allow</button>
<button name="decision" value="read_only">Allow reading only</button>
<button name="decision" value="deny">Refuse</button>
</form>`,
  });
};

const RIGHTS: Readonly<Record<string, string>> = { read: 'read facts', write: 'write facts' };

const introduction = ({ client, request }: Asking, nodeUrl: string): string =>
  `<p>A program wants to use the memory at <code>${escapedHtml(new URL(nodeUrl).host)}</code>:</p>
<p class="warning"><strong>${escapedHtml(client.name)}</strong> of <code>${escapedHtml(hostOf(client, request))}</code><br>
The program chose this name itself, and nobody has verified it. Continue only if you have just begun this yourself.</p>`;

const gardenFields = (gardens: readonly OfferedGarden[]): string =>
  gardens.length === 0
    ? '<p>It sees no gardens. Their admins can add it as a member.</p>'
    : `<fieldset><legend>In these gardens of yours</legend>${gardens.map(({ id, name }) => box('garden', id, name, false)).join('')}</fieldset>`;

const box = (name: string, value: string, text: string, isChosen: boolean): string =>
  `<label><input type="checkbox" name="${name}" value="${escapedHtml(value)}"${isChosen ? ' checked' : ''}> ${escapedHtml(text)}</label>`;

const radio = (days: number, isChosen: boolean): string =>
  `<label><input type="radio" name="days" value="${days}"${isChosen ? ' checked' : ''}> ${days} ${days === 1 ? 'day' : 'days'}</label>`;

/** Returns a request as the query text that the client sent. */
export const queryText = ({ query }: AuthorizationRequest): string =>
  new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString();
