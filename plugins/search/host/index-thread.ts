import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { LocalHost } from './local-host.ts';
import type { ThreadData, ThreadReply, ThreadRequest } from './thread-messages.ts';

/*
 * The body of a thread of its own, which holds one index: the only copy of it in the process.
 */

const port = parentPort as MessagePort;
const host = new LocalHost((workerData as ThreadData).seed);

const answer = async ({ number, call, given }: ThreadRequest): Promise<ThreadReply> => {
  try {
    const work = host[call] as (...given: unknown[]) => Promise<unknown>;
    const result = await work.apply(host, [...given]);
    return { number, size: host.size, result };
  } catch (error) {
    return { number, size: host.size, error };
  }
};

port.on('message', (request: ThreadRequest) => {
  void answer(request).then((reply) => port.postMessage(reply));
});
