import type { CommandServer, ServerReply } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { memberOf } from './fetch-document.ts';
import { isIssuer } from './oidc-settings.ts';
import { isSameAddress } from './sign-in-binding.ts';

/** The identity provider of a node, and the node's client there. */
export interface SignIn {
  readonly issuer: string;
  readonly clientId: string;
}

/** The issuer and the client that the user expects. */
export type ExpectedSignIn = { readonly [K in keyof SignIn]?: SignIn[K] | undefined };

const PIN = 'sign-in';

/**
 * Reads the identity provider of the node. Throws `authorization` if it is not the expected one, or, without an
 * expectation, not the one of the user's last sign-in at this address.
 */
export const readSignIn = async (server: CommandServer, expected: ExpectedSignIn): Promise<SignIn> => {
  const signIn = await askSignIn(server);
  const pinned = isWhole(expected) ? {} : await readPin(server);
  for (const name of ['issuer', 'clientId'] as const) {
    const wanted = expected[name] ?? pinned[name];
    if (wanted !== undefined && wanted !== signIn[name]) throw otherSignIn(name);
  }
  return signIn;
};

/** Keeps the identity provider of this address for later sign-ins. */
export const pinSignIn = (server: CommandServer, { issuer, clientId }: SignIn): Promise<void> =>
  server.remember(PIN, JSON.stringify({ issuer, clientId }));

export const isWhole = ({ issuer, clientId }: ExpectedSignIn): boolean =>
  issuer !== undefined && clientId !== undefined;

const readPin = async (server: CommandServer): Promise<ExpectedSignIn> => {
  const text = await server.remembered(PIN);
  return text === undefined ? {} : (JSON.parse(text) as ExpectedSignIn);
};

const otherSignIn = (name: keyof SignIn): ServiceError =>
  new ServiceError(
    'authorization',
    `the node names another ${name === 'issuer' ? 'identity provider' : 'client'} than the one you expect`,
    { hint: 'ask its operator which one is right, and sign in with --issuer and --client-id' },
  );

const askSignIn = async (server: CommandServer): Promise<SignIn> => {
  const { status, document } = await server.send({
    method: 'GET',
    path: '/.well-known/oauth-protected-resource',
    key: null,
  });
  if (status === 404) {
    throw new ServiceError('unavailable', 'this node takes no sign-ins', {
      hint: 'its operator switches them on with SVC_OIDC_ENABLED; otherwise ask for an API key',
    });
  }
  const issuer = [memberOf(document, 'authorization_servers')].flat()[0];
  const clientId = memberOf(document, 'client_id');
  if (status !== 200 || typeof issuer !== 'string' || !isIssuer(issuer)) {
    throw new ServiceError('unavailable', 'the node does not say at which identity provider people sign in');
  }
  if (!isSameAddress(String(memberOf(document, 'resource')), server.url)) {
    throw new ServiceError('authorization', 'the node says that it has another address than the one you gave', {
      hint: 'its operator sets SVC_NODE_URL to the address that people use; give that one with --url',
    });
  }
  if (typeof clientId === 'string' && clientId !== '') return { issuer, clientId };
  throw new ServiceError('unavailable', 'the node has no client at the identity provider', {
    hint: 'its operator sets SVC_OIDC_CLIENT_ID',
  });
};

/** Returns the error for a refusal, with the explanation of the node. */
export const refusedByNode = ({ status, document }: ServerReply): ServiceError => {
  const detail = memberOf(document, 'detail');
  const why = typeof detail === 'string' ? detail.slice(0, MAX_SHOWN) : `status ${status}`;
  return new ServiceError(status >= 500 ? 'unavailable' : 'authorization', `the node gives no key: ${why}`);
};

const MAX_SHOWN = 500;
