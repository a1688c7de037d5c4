import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { postRequest } from './load/post-request.ts';
import { RawConnection } from './load/raw-connection.ts';
import { runBatches } from './load/run-batches.ts';
import { type BenchStore, openPlace } from './processes/bench-place.ts';
import type { ServerProcess } from './processes/child-process.ts';
import { eventLoopPauses } from './processes/event-loop.ts';
import { untilIdle } from './processes/until-idle.ts';
import { figure, printTable } from './report/print-table.ts';

export interface FairnessOptions {
  /** The number of facts in the store. */
  readonly facts: number;
  /** The seconds of each measurement. */
  readonly seconds: number;
  readonly store: BenchStore;
}

/** The number of requests that the load has in flight. */
const AT_ONCE = 40;
const PER_ENTITY = 10;
/** The pause between two reads of the measured key, which keeps them from loading the node. */
const BETWEEN_MS = 5;

/** Requests that cost a node the most, without their credential. */
const LOADS: Readonly<Record<string, (key: string) => string | Buffer>> = {
  'facts, limit 500': (key) => get(key, '/v1/facts?limit=500'),
  synthesis: (key) => get(key, '/v1/synthesis?limit=1000'),
  lint: (key) => get(key, '/v1/lint?scope=company'),
  completion: (key) =>
    postRequest(key, '/v1/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'completion/complete',
      params: {
        ref: { type: 'ref/resource', uri: 'memory://card/{entity}' },
        argument: { name: 'entity', value: 'user:' },
      },
    }),
  recall: (key) => postRequest(key, '/v1/recall', { query: 'the answer is likely', token_budget: 2_000 }),
};

/**
 * Measures reads of one fact by one key: alone, beside forty requests of one other key, and beside the same load spread
 * over forty keys of forty entities.
 */
export const benchFairness = async ({ facts, seconds, store }: FairnessOptions): Promise<void> => {
  const place = await openPlace(store);
  const [node] = await place.startNodes();
  if (node === undefined) throw new Error('no node was started');
  try {
    await runBatches(node, { from: 0, to: facts, perEntity: PER_ENTITY });
    await untilIdle(node);
    const keys: string[] = [];
    for (let at = 0; at <= AT_ONCE; at += 1) keys.push(await makeKey(node, `agent:load-${at}`));
    const [reader = '', one = '', ...more] = keys;
    const factId = await someFact(node);
    const rows: string[][] = [];
    const measure = async (load: string, side: string, loaders: readonly string[]): Promise<Quantiles> => {
      const found = await readBeside(node, { reader, factId, request: LOADS[load], loaders, seconds });
      const { p50, p99, max, loopMs } = found;
      rows.push([load, side, ...[p50, p99, max, loopMs].map((ms) => figure(ms, 1)), figure(found.answered)]);
      return found;
    };
    await measure('none', 'alone', []);
    for (const load of Object.keys(LOADS)) {
      const alone = await measure(load, 'one key', new Array<string>(AT_ONCE).fill(one));
      const spread = await measure(load, `${AT_ONCE} keys`, [one, ...more]);
      rows.push(['', 'one / many', figure(alone.p50 / spread.p50, 2), figure(alone.p99 / spread.p99, 2), '', '', '']);
    }
    console.log(`\nreads of one fact on ${store}, ${figure(facts)} facts, ${AT_ONCE} requests beside them`);
    printTable(['beside', 'of', 'p50 ms', 'p99 ms', 'max ms', 'loop max ms', 'answered'], rows);
  } finally {
    await node.stop();
    await place.close();
  }
};

interface Beside {
  readonly reader: string;
  readonly factId: string;
  readonly request: ((key: string) => string | Buffer) | undefined;
  /** The key of each connection of the load. */
  readonly loaders: readonly string[];
  readonly seconds: number;
}

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly loopMs: number;
  /** The number of requests of the load that were answered. */
  readonly answered: number;
}

const readBeside = async (node: ServerProcess, beside: Beside): Promise<Quantiles> => {
  let isOver = false;
  let answered = 0;
  const work = async (key: string): Promise<void> => {
    const connection = await RawConnection.open(node.port);
    while (!isOver) {
      const { status, text } = await connection.exchange(beside.request?.(key) ?? '');
      if (status >= 300) throw new Error(`the load was answered ${status}: ${text.slice(0, 200)}`);
      answered += 1;
    }
    connection.close();
  };
  const connection = await RawConnection.open(node.port);
  await connection.exchange(get(beside.reader, `/v1/facts/${beside.factId}`));
  await eventLoopPauses(node);
  const load = Promise.all(beside.loaders.map(work));
  const times: number[] = [];
  const end = performance.now() + beside.seconds * 1_000;
  while (performance.now() < end) {
    const began = performance.now();
    const { status } = await connection.exchange(get(beside.reader, `/v1/facts/${beside.factId}`));
    if (status !== 200) throw new Error(`a read was answered ${status}`);
    times.push(performance.now() - began);
    await pause(BETWEEN_MS);
  }
  isOver = true;
  await load;
  connection.close();
  const sorted = Float64Array.from(times).sort();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const { maxMs: loopMs } = await eventLoopPauses(node);
  return { p50: at(0.5), p99: at(0.99), max: at(1), loopMs, answered };
};

const get = (key: string, path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;

const makeKey = async ({ port, key }: ServerProcess, entity: string): Promise<string> => {
  const made = randomBytes(32).toString('hex');
  const body = { raw_key: made, entity_uri: entity, permissions: ['read', 'write'], allowed_scopes: ['company'] };
  const connection = await RawConnection.open(port);
  const { status, text } = await connection.exchange(postRequest(key, '/v1/auth/keys', body));
  connection.close();
  if (status !== 201) throw new Error(`a key was answered ${status}: ${text}`);
  return made;
};

const someFact = async ({ port, key }: ServerProcess): Promise<string> => {
  const connection = await RawConnection.open(port);
  const { text } = await connection.exchange(get(key, '/v1/facts?limit=1'));
  connection.close();
  return (JSON.parse(text) as { readonly facts: readonly { readonly id: string }[] }).facts[0]?.id ?? '';
};
