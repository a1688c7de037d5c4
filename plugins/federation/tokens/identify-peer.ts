import { type HttpRequestInfo, type InboundRequest, readBearerToken } from '../../../kernel/internal-api.ts';
import { type Principal, type ServedTenants, ServiceError } from '../../../kernel/plugin-api.ts';
import type { PeerTokens } from './peer-tokens.ts';
import { tokenRefusal } from './token-refusal.ts';
import { PEER_TOKEN_REQUIRED } from './token-words.ts';

/**
 * Identifies the caller on routes for peers, which accept only peer tokens. For a request with a wrong method it also
 * accepts an ordinary credential, so that every caller learns the allowed methods.
 */
export const createIdentifyPeer =
  (tokens: PeerTokens, paths: ReadonlySet<string>, served: Pick<ServedTenants, 'isServed'>) =>
  (known: Principal | null, { access, route, request }: HttpRequestInfo): Promise<Principal> | undefined => {
    const isWrongMethod = route === null && known === null && paths.has(request.path);
    // Stays synchronous for requests of other callers, which are nearly all.
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
