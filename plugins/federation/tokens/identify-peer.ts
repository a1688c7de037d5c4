import {
  type HttpRequestInfo,
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
  async (known: Principal | null, { access, route, request }: HttpRequestInfo): Promise<Principal | null> => {
    const isWrongMethod = route === null && known === null && paths.has(request.path);
    if (access !== 'peer' && !isWrongMethod) return known;
    const token = readBearerToken(request);
    if (token === null) throw tokenRefusal(PEER_TOKEN_REQUIRED);
    const { principal } = await tokens.accept(token);
    if (!served.isServed(principal.tenantId)) {
      throw new ServiceError('authorization', 'the tenant of this peering is suspended: ask the operator of the node');
    }
    return principal;
  };
