import { createHash } from 'node:crypto';
import { createLoopbackNetwork, type LoopbackNetwork } from '../../fakes/loopback-network.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { type KeyOptions, startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import type { TestReply } from '../../kit/test-request.ts';

export const NODE_URL = 'https://memory.example';
export const CLIENT_URL = 'https://assistant.example';
export const CALLBACK = `${CLIENT_URL}/callback`;
export const DOCUMENT = `${CLIENT_URL}/client.json`;
export const VERIFIER = 'a-verifier-of-a-test-that-is-longer-than-forty-three-characters';

export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Spells fields as a form; a list becomes a repeated field. */
export const form = (fields: Fields): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const text of [value ?? []].flat()) query.append(name, text);
  }
  return query.toString();
};

export const OAUTH_PLUGINS = ['keys', 'audit', 'facts', 'gardens', 'mcp', 'multi-tenant', 'node-info', 'oauth'];

export interface OAuthNode extends TestNode {
  /** A client that has registered itself. */
  readonly clientId: string;
}

/** Starts a node that gives remote clients access, with one registered client. */
export const startOAuthNode = async (
  settings: Readonly<Record<string, unknown>> = {},
  options: TestNodeOptions = {},
): Promise<OAuthNode> => {
  const clock = options.clock ?? createManualClock();
  const node = await startTestNode({
    plugins: OAUTH_PLUGINS,
    url: NODE_URL,
    clock,
    network: createLoopbackNetwork(clock),
    ...options,
    settings: { oauth: { enabled: true, ...settings }, 'multi-tenant': { enabled: true }, ...options.settings },
  });
  const registered = settings['registration'] === false ? undefined : await register(node);
  return { ...node, clientId: String(registered?.body.client_id) };
};

export const register = (node: TestNode, changes: object = {}): Promise<TestReply> =>
  node.request('POST', '/oauth/register', {
    body: { client_name: 'Assistant', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none', ...changes },
  });

/**
 * Serves a metadata document at `DOCUMENT`, with the present members of `changes`. Returns how often it was fetched.
 */
export const serveDocument = async (network: LoopbackNetwork, changes: object = {}): Promise<() => number> => {
  let fetches = 0;
  const handle = async () => {
    fetches += 1;
    const document = { client_id: DOCUMENT, client_name: 'Assistant', redirect_uris: [CALLBACK], ...changes };
    return { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(document) };
  };
  await network.transport(CLIENT_URL).serve({
    endpoints: [{ method: 'GET', path: '/client.json', handle }],
    unmatched: async () => ({ status: 404, headers: {} }),
  });
  return () => fetches;
};

/** Returns the query of a valid request for access, with changes; undefined removes a parameter. */
export const askFor = (clientId: string, changes: Fields = {}): string =>
  form({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: challengeOf(VERIFIER),
    code_challenge_method: 'S256',
    state: 'state-of-the-client',
    resource: `${NODE_URL}/v1/mcp`,
    ...changes,
  });

export const authorize = (node: TestNode, query: string): Promise<TestReply> =>
  node.request('GET', `/oauth/authorize?${query}`);

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

export const postForm = (
  node: TestNode,
  path: string,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestReply> => node.request('POST', path, { headers: { ...FORM, ...headers }, body: form(fields) });

/** The headers that a browser sends with a form of the node's own page. */
export const FROM_OWN_PAGE = { Origin: NODE_URL, 'Sec-Fetch-Site': 'same-origin' };

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Decodes the entities of `escapedHtml`, each once, as a browser does. */
const unescaped = (text: string): string =>
  text.replaceAll(/&([#\w]+);/g, (entity, name: string) => ENTITIES[name] ?? entity);

/** Returns the value of a field of a page. */
export const fieldOf = (page: Pick<TestReply, 'text'>, name: string): string =>
  unescaped(new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? '');

/** Returns the parameters behind the link by which a person tells the client of a fault. */
export const linkedAnswerOf = (page: TestReply): URLSearchParams =>
  new URL(unescaped(/<a href="([^"]*)"/.exec(page.text)?.[1] ?? '')).searchParams;

/** Signs a person in. Returns the consent page. */
export const signIn = async (node: TestNode, query: string, key: string): Promise<TestReply> => {
  const page = await authorize(node, query);
  return postForm(node, '/oauth/sign-in', { request: fieldOf(page, 'request'), key }, FROM_OWN_PAGE);
};

export const cookieOf = (page: TestReply): string => page.headers['set-cookie']?.split(';')[0] ?? '';

/** Submits a consent page; allows everything by default. */
export const decide = (node: TestNode, page: TestReply, changes: Fields = {}): Promise<TestReply> =>
  postForm(
    node,
    '/oauth/consent',
    {
      ticket: fieldOf(page, 'ticket'),
      decision: 'allow',
      permission: ['read', 'write'],
      scope: ['local'],
      days: '30',
      ...changes,
    },
    { ...FROM_OWN_PAGE, Cookie: cookieOf(page) },
  );

/** Returns the query parameters of the redirect to the client. */
export const answerOf = (reply: TestReply): URLSearchParams => new URL(reply.headers['location'] ?? '').searchParams;

/** Signs a person in and allows access. Returns the code. */
export const codeFor = async (node: TestNode, query: string, key: string, choice: Fields = {}): Promise<string> =>
  answerOf(await decide(node, await signIn(node, query, key), choice)).get('code') ?? '';

export const redeem = (node: TestNode, clientId: string, code: string, changes: Fields = {}): Promise<TestReply> =>
  postForm(node, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: VERIFIER,
    redirect_uri: CALLBACK,
    ...changes,
  });

export const refresh = (node: TestNode, clientId: string, token: string, changes: Fields = {}): Promise<TestReply> =>
  postForm(node, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: token,
    ...changes,
  });

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  /** The key of the person. */
  readonly key: string;
}

/** Lets a person give the registered client access. */
export const giveAccess = async (node: OAuthNode, person: KeyOptions = {}, choice: Fields = {}): Promise<Tokens> => {
  const key = await node.addKey({ entityUri: 'user:alice', ...person });
  const { body } = await redeem(node, node.clientId, await codeFor(node, askFor(node.clientId), key, choice));
  return { access: body.access_token, refresh: body.refresh_token, key };
};

/** Returns the status of a read with this credential. */
export const statusWith = async (node: TestNode, key: string): Promise<number> =>
  (await node.request('GET', '/v1/facts?entity=user:alice', { key })).status;
