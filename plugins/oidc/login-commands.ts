import { hostname } from 'node:os';
import { type CommandServer, defineCommand, type PluginCommand, type ServerReply } from '../../kernel/command-api.ts';
import { encodeBase64Url } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { isWhole, pinSignIn, readSignIn, refusedByNode } from './ask-node.ts';
import { discover } from './discovery.ts';
import { isObject, memberOf } from './fetch-document.ts';
import { nonceOf } from './sign-in-binding.ts';
import { signInByBrowser } from './sign-in-by-browser.ts';
import { signInByDevice } from './sign-in-by-device.ts';

const SALT_BYTES = 32;

/** The name of this machine at the node. Each machine has its own key, so that one login does not end the others. */
const clientName = (): string => `command line on ${hostname()}`.slice(0, 255);

const login = defineCommand({
  name: 'login',
  topic: 'agents',
  summary: 'sign in at a node through its identity provider',
  description:
    'Signs in at the identity provider of a running node, and keeps the key that the node gives for it. Later ' +
    'commands for the same address use that key.',
  notes: `The key is saved in a file of your own configuration folder, which only you may
read. It ends after some hours. The variable SVC_API_KEY goes before it. The
identity provider and the client are kept too: another one at the same address
is refused, unless --issuer and --client-id name it.`,
  examples: [
    'fact-memory-node login --url https://memory.example',
    'fact-memory-node login --url https://memory.example --device --issuer https://idp.example --client-id memory',
  ],
  needs: 'server',
  options: {
    device: { type: 'flag', summary: 'show a code to enter in a browser on any device' },
    browser: { type: 'flag', summary: 'show an address to open in a browser on this machine, as without --device' },
    issuer: {
      type: 'text',
      value: 'url',
      summary: 'sign in only at this identity provider, whatever the node says',
    },
    clientId: {
      type: 'text',
      value: 'id',
      summary: 'sign in only as this client of the identity provider, whatever the node says',
    },
    scope: {
      type: 'text',
      value: 'list',
      summary: 'what to ask the identity provider for',
      default: 'openid email profile',
    },
    permissions: {
      type: 'words',
      value: 'list',
      summary: 'what the key may do, as far as your roles give it',
      default: ['read', 'write'],
    },
  },
  async run({ options, server, openTransport, clock, random, stderr }) {
    if (options.device && options.browser) {
      throw new ServiceError('validation', '--device and --browser exclude one another', { hint: 'give one of them' });
    }
    const { permissions, issuer, clientId } = options;
    const signIn = await readSignIn(server, { issuer, clientId });
    const transport = await openTransport();
    const { deviceEndpoint, tokenEndpoint, authorizationEndpoint } = await discover(transport, signIn.issuer);
    const show = (line: string): void => void stderr.write(`${line}\n`);
    const salt = encodeBase64Url(random.bytes(SALT_BYTES));
    const nonce = nonceOf({ address: server.url, permissions, salt });
    const common = { transport, clock, signIn, scope: options.scope, nonce, show };
    if (!options.device && authorizationEndpoint !== undefined) {
      const grant = await signInByBrowser({ ...common, random, authorizationEndpoint });
      const { code, codeVerifier: code_verifier, redirectUri: redirect_uri } = grant;
      await takeKey(server, { code, code_verifier, redirect_uri, permissions, salt }, show);
    } else if (!options.browser && deviceEndpoint !== undefined && tokenEndpoint !== undefined) {
      const token = await signInByDevice({ ...common, deviceEndpoint, tokenEndpoint });
      const isBound = nonceIn(token) === nonce;
      if (!isBound && !isWhole({ issuer, clientId })) throw unboundToken();
      await takeKey(server, { id_token: token, permissions, ...(isBound && { salt }) }, show);
    } else {
      const other = options.device ? '--browser' : '--device';
      throw new ServiceError('unavailable', 'the identity provider does not sign people in this way', {
        hint: `try ${other}`,
      });
    }
    await pinSignIn(server, signIn);
  },
});

/** Returns the nonce of an id token that the node will verify. */
const nonceIn = (token: string): unknown => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return isObject(claims) ? memberOf(claims, 'nonce') : undefined;
  } catch {
    return undefined;
  }
};

const unboundToken = (): ServiceError =>
  new ServiceError('authorization', 'the identity provider does not sign for which node this sign-in is', {
    hint: 'try --browser, or give --issuer and --client-id as the operator of the node has told you',
  });

const takeKey = async (
  server: CommandServer,
  body: Readonly<Record<string, unknown>>,
  show: (line: string) => void,
): Promise<void> => {
  const reply = await server.send({
    method: 'POST',
    path: '/v1/auth/oidc/exchange',
    key: null,
    headers: { 'Content-Type': 'application/json' },
    body: Buffer.from(JSON.stringify({ ...body, client: clientName() })),
  });
  const [key, entity, end] = ['api_key', 'entity_uri', 'expires_at'].map((name) => memberOf(reply.document, name));
  if (reply.status !== 200 || typeof key !== 'string') throw refusedByNode(reply);
  const { path, isUsed } = await server.saveKey(key);
  show(`Signed in as ${entity} until ${end}; the key is in ${path}`);
  if (!isUsed) show('The variable SVC_API_KEY is set and goes before this key: unset it');
};

const logout = defineCommand({
  name: 'logout',
  topic: 'agents',
  summary: 'end the key of a login and forget it',
  description: 'Revokes the key that "login" has kept for a node, and removes it from this machine.',
  needs: 'server',
  async run({ server, stderr }) {
    const key = await server.savedKey();
    if (key === undefined) {
      stderr.write('You are not signed in at this address\n');
      return;
    }
    const id = await idOf(key, server);
    if (id !== undefined) {
      const path = `/v1/auth/keys/${encodeURIComponent(id)}`;
      const { status } = await server.send({ method: 'DELETE', path, key });
      if (status !== 204 && status !== 404) throw new ServiceError('unavailable', 'the node did not revoke the key');
    }
    await server.forgetKey();
    stderr.write(id === undefined ? 'Signed out; the key had ended already\n' : 'Signed out\n');
  },
});

/** Returns the id of a key. Undefined if the key has ended. */
const idOf = async (key: string, server: CommandServer): Promise<string | undefined> => {
  const reply: ServerReply = await server.send({ method: 'GET', path: '/v1/auth/keys', key });
  if (reply.status === 401) return undefined;
  if (reply.status !== 200) throw new ServiceError('unavailable', 'the node does not list your keys');
  const own = Object.values(reply.document).filter(isObject);
  const found = own.find(
    (one) => memberOf(one, 'description') === clientName() && typeof memberOf(one, 'oidc_sub') === 'string',
  );
  const id = found === undefined ? undefined : memberOf(found, 'id');
  return typeof id === 'string' ? id : undefined;
};

export const loginCommands: readonly PluginCommand[] = [login, logout];
