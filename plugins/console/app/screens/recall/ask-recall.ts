import type { FactClient, RecallReply } from '../../../../../client/client.ts';
import { type RequestState, useRequest } from '../../kit/use-request.ts';
import { useSession } from '../../session/session.ts';
import type { RecallBody } from './recall-settings.ts';

/** A reply, and the time that the reader waited for it. */
export interface Recalled {
  readonly reply: RecallReply;
  readonly ms: number;
}

export const askRecall = (client: FactClient, body: RecallBody, signal: AbortSignal): Promise<RecallReply> =>
  client.call('POST /v1/recall', { body, signal });

/** Sends no request without a question. */
export const useRecall = (body: RecallBody | undefined, round: number): RequestState<Recalled | undefined> => {
  const { client } = useSession();
  return useRequest(
    async (signal) => {
      if (body === undefined) return undefined;
      const begunMs = performance.now();
      const reply = await askRecall(client, { ...body, explain: true }, signal);
      return { reply, ms: performance.now() - begunMs };
    },
    [JSON.stringify(body), round],
  );
};
