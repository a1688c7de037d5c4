import {
  type HttpRequestInfo,
  type InboundRequest,
  type Principal,
  readBearerToken,
  type ServedTenants,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import type { PeerTokens } from './peer-tokens.ts';
import { tokenRefusal } from './token-refusal.ts';
import { PEER_TOKEN_REQUIRED } from './token-words.ts';

/**
 * Who asks on the routes of peers, where only a peer token counts. A method that such a path does not have needs a
 * credential too, of either kind: callers who have one are told which methods there are.
 */
export const createIdentifyPeer =
  (tokens: PeerTokens, paths: ReadonlySet<string>, served: Pick<ServedTenants, 'isServed'>) =>
  (known: Principal | null, { access, route, request }: HttpRequestInfo): Promise<Principal> | undefined => {
    const isWrongMethod = route === null && known === null && paths.has(request.path);
    // Nearly every request is of no peer, and there is nothing to wait for.
    return access === 'peer' || isWrongMethod ? identify(request, tokens, served) : undefined;
  };

const identify = async (
  request: InboundRequest,
  tokens: PeerTokens,
  served: Pick<ServedTenants, 'isServed'>,
): Promise<Principal> => {
  const token = readBearerToken(request);
  if (token === null) throw tokenRefusal(PEER_TOKEN_REQUIRED);
  const { principal } = await tokens.accept(token);
  if (!served.isServed(principal.tenantId)) {
    throw new ServiceError('authorization', 'the tenant of this peering is suspended: ask the operator of the node');
  }
  return principal;
};
