import type { ServerProcess } from '../processes/child-process.ts';
import { requestMaker } from './load-requests.ts';
import { RawConnection } from './raw-connection.ts';

/** The number of facts in one request. The numbers of a load should start and end at a multiple of it. */
export const FACTS_PER_REQUEST = 500;
const CONNECTIONS = 4;
const REPORT_EVERY_MS = 5_000;

/**
 * Stores the facts `from` to `to` of the loader through the batch endpoint, rounded up to whole requests. Returns the
 * elapsed seconds.
 */
export const runBatches = async (
  node: ServerProcess,
  { from, to, perEntity }: { from: number; to: number; perEntity: number },
): Promise<number> => {
  const make = requestMaker({
    key: node.key,
    requests: { kind: 'batch', first: from, size: FACTS_PER_REQUEST, perEntity },
  });
  const start = performance.now();
  let sent = from;
  let reported = start;
  const work = async (): Promise<void> => {
    const connection = await RawConnection.open(node.port);
    while (sent < to) {
      sent += FACTS_PER_REQUEST;
      const { status, text } = await connection.exchange(make());
      const { accepted } = status === 200 ? (JSON.parse(text) as { accepted: number }) : { accepted: 0 };
      if (accepted !== FACTS_PER_REQUEST) throw new Error(`a batch was answered ${status}: ${text.slice(0, 500)}`);
      if (performance.now() - reported > REPORT_EVERY_MS) {
        reported = performance.now();
        console.error(`loaded ${sent} of ${to} facts`);
      }
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return (performance.now() - start) / 1000;
};
