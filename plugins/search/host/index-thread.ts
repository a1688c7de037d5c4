import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { HashSeed } from '../index/text-hash.ts';
import type { SearchIndex, SearchView } from '../search-api.ts';
import { answerCalls } from '../threads/answer-calls.ts';
import { LocalHost } from './local-host.ts';
import { type PackedHits, packAround, packHits, packLooked, packTogether, unpackHits } from './packed-hits.ts';
import type { DistantCall } from './thread-host.ts';

/*
 * The body of a thread of its own, which holds one index: the only copy of it in the process.
 */

const host = new LocalHost((workerData as { readonly seed: HashSeed }).seed);

/** Calls whose words between the threads are packed. */
const PACKED: Partial<Record<DistantCall, (...given: never[]) => Promise<unknown>>> = {
  lexical: async (...given: Parameters<SearchIndex['lexical']>) => packHits(await host.lexical(...given)),
  look: async (...given: Parameters<SearchIndex['look']>) => (await host.look(...given)).map(packLooked),
  together: async (...given: Parameters<SearchIndex['together']>) => packTogether(await host.together(...given)),
  around: async (query: string, seeds: PackedHits, view: SearchView, limit: number) =>
    packAround(await host.around(query, unpackHits(seeds), view, limit)),
};

answerCalls(parentPort as MessagePort, {
  answer: (call, given) => {
    const name = call as DistantCall;
    const work = (PACKED[name] ?? host[name].bind(host)) as (...given: unknown[]) => Promise<unknown>;
    return work(...given);
  },
  note: () => host.size,
});
