import type { CommandServer, ServerReply } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { memberOf } from './fetch-document.ts';
import { isIssuer } from './oidc-settings.ts';

/** The identity provider of a node, and the node's client there. */
export interface SignIn {
  readonly issuer: string;
  readonly clientId: string;
}

/** Reads the identity provider of the node. `expected`, if given, is the only issuer that the user trusts. */
export const readSignIn = async (server: CommandServer, expected: string | undefined): Promise<SignIn> => {
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
  if (expected !== undefined && issuer !== expected) {
    throw new ServiceError('authorization', 'the node names another identity provider than the one you expect', {
      hint: 'ask its operator which one is right before you sign in anywhere',
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
