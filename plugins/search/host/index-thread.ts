import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { HashSeed } from '../index/text-hash.ts';
import { answerCalls } from '../threads/answer-calls.ts';
import { LocalHost } from './local-host.ts';
import { packHits, unpackHits } from './packed-hits.ts';
import type { DistantCall } from './thread-host.ts';

/*
 * The entry module of the thread that holds an index: the only copy of it in the process.
 */

const host = new LocalHost((workerData as { readonly seed: HashSeed }).seed);

answerCalls(parentPort as MessagePort, {
  answer: async (call, given) => {
    const work = host[call as DistantCall].bind(host) as (...given: unknown[]) => Promise<unknown>;
    return call === 'ask' ? packHits(await work(...(unpackHits(given) as unknown[]))) : work(...given);
  },
  note: () => host.size,
});
