import type { ServerProcess } from '../processes/child-process.ts';
import { RecallClient } from './recall-client.ts';
import { FACTS_PER_SESSION, syntheticRow } from './synthetic-facts.ts';

const CONNECTIONS = 16;
const REPORT_EVERY_MS = 10_000;

/** Stores the synthetic facts `from` to `to`, both at a session boundary, and waits until all of them have vectors. */
export const loadFacts = async (node: Pick<ServerProcess, 'port' | 'key'>, from: number, to: number): Promise<void> => {
  if (from % FACTS_PER_SESSION !== 0 || to % FACTS_PER_SESSION !== 0) {
    throw new RangeError(`facts are loaded by ${FACTS_PER_SESSION}`);
  }
  const began = performance.now();
  let reported = began;
  let sent = from;
  const work = async (): Promise<void> => {
    const client = await RecallClient.open(node);
    while (sent < to) {
      const first = sent;
      sent += FACTS_PER_SESSION;
      await client.load(session(first));
      if (performance.now() - reported < REPORT_EVERY_MS) continue;
      reported = performance.now();
      console.error(`loaded ${sent} of ${to} facts`);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  const client = await RecallClient.open(node);
  const loaded = performance.now();
  console.error(`loaded ${to} facts in ${((loaded - began) / 1000).toFixed(0)} s; waiting for their vectors`);
  await client.untilEmbedded();
  console.error(`embedded after another ${((performance.now() - loaded) / 1000).toFixed(0)} s`);
  client.close();
};

const session = (first: number) => Array.from({ length: FACTS_PER_SESSION }, (_, at) => syntheticRow(first + at));
