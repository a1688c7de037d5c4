import type { AnswerOf } from '../../../../client/client.ts';
import { useSession } from '../session/session.ts';
import { useRequest } from './use-request.ts';

export type NodeDescription = AnswerOf<'GET /v1/node'>;

/** Returns the plugins, routes and settings of the node. */
export const useNode = () => {
  const { client } = useSession();
  return useRequest((signal) => client.call('GET /v1/node', { signal }), []);
};
