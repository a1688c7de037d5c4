import type { AnswerOf, FactClient } from '../../../../../client/client.ts';
import { type RequestState, useRequest } from '../../kit/use-request.ts';
import { hasRoute, useSession } from '../../session/session.ts';
import type { KindCount } from './kinds-of.ts';

type Page = AnswerOf<'GET /v1/entities/kinds'>;

/** The number of pages that are read, each of some thousand entities. */
const PAGES = 20;

export type AskedKinds = Pick<RequestState<readonly KindCount[] | undefined>, 'data' | 'isLoading'>;

/** The kinds of all entities that the reader sees facts of; undefined from a node that does not count them. */
export const useKinds = (): AskedKinds => {
  const { client, setup } = useSession();
  const isServed = hasRoute(setup, 'GET /v1/entities/kinds');
  return useRequest(async (signal) => (isServed ? readKinds(client, signal) : undefined), [isServed]);
};

const readKinds = async (client: FactClient, signal: AbortSignal): Promise<readonly KindCount[]> => {
  const kinds: KindCount[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < PAGES && cursor !== null; page += 1) {
    const read: Page = await client.call('GET /v1/entities/kinds', { query: { ...(cursor && { cursor }) }, signal });
    for (const { kind, entities: count, is_more: isMore } of read.kinds) kinds.push({ kind, count, isMore });
    cursor = read.cursor;
  }
  // Entities of the pages that were not read may be of any kind.
  return typeof cursor === 'string' ? kinds.map((counted) => ({ ...counted, isMore: true })) : kinds;
};
