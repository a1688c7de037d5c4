import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Contestant, type ContestLoad } from './contestant.ts';
import { loaderEntity } from './load/load-requests.ts';
import { type BenchStore, openPlace } from './processes/bench-place.ts';
import type { ServerProcess } from './processes/child-process.ts';
import { figure, printTable, share } from './report/print-table.ts';

const ROUNDS = 6;
const WARM_UP_SECONDS = 4;
/** The range of assertion numbers of one run: one range for the warm-up, and one for each round. */
const RANGE_PER_RUN = 20_000_000;
const CREATED_AT_ONCE = 8;

export interface SubscriptionOptions {
  readonly subscriptions: number;
  /** Every `every`th fact of a round has a subscriber, while there are subscriptions left; 0 for none. */
  readonly every: number;
  readonly connections: number;
  /** Seconds of measured time for each side. */
  readonly seconds: number;
  readonly store: BenchStore;
}

interface Hook {
  readonly url: string;
  readonly hits: number;
  stop(): void;
}

const startHook = async (): Promise<Hook> => {
  let hits = 0;
  const server = createServer((request, response) => {
    hits += 1;
    request.resume();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    get hits() {
      return hits;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** Returns the entities of the subscriptions, the same number for each round. */
const subscribedEntities = (count: number, every: number): string[] =>
  Array.from({ length: count }, (_, at) => {
    const round = 1 + (at % ROUNDS);
    return every === 0 ? `user:idle-${at}` : loaderEntity(round * RANGE_PER_RUN + Math.floor(at / ROUNDS) * every);
  });

const subscribe = async ({ port, key }: ServerProcess, entities: readonly string[], url: string): Promise<void> => {
  const post = async (path: string, body: object) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (reply.status !== 201) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return (await reply.json()) as { readonly token_json: string };
  };
  const owner = 'agent:admin';
  const token = { issuer: owner, subject: owner, verb: 'subscribe', object: 'svc://facts' };
  const { token_json: capability } = await post('/v1/federation/capability-tokens', token);
  const left = [...entities];
  const work = async (): Promise<void> => {
    for (let target = left.pop(); target !== undefined; target = left.pop()) {
      await post('/v1/subscriptions', { target, on_change: 'webhook', webhook_url: url, capability_token: capability });
    }
  };
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, work));
};

/** Compares the write path of a node with subscriptions, some of which match, with that of a node without any. */
export const benchSubscriptions = async (options: SubscriptionOptions): Promise<void> => {
  const { subscriptions, store, connections } = options;
  const place = await openPlace(store);
  const hook = await startHook();
  const started: Contestant[] = [];
  const contestant = async (name: string, subscribed: readonly string[]): Promise<Contestant> => {
    const nodes = await place.startNodes({ env: { SVC_WEBHOOK_ALLOW_PRIVATE: 'true' } });
    const entry = new Contestant(name, nodes, place.databaseCpuMs);
    started.push(entry);
    await subscribe(nodes[0] as ServerProcess, subscribed, hook.url);
    return entry;
  };
  const asserting = (seconds: number): ContestLoad => ({
    connections,
    seconds,
    expectedStatus: '201',
    requests: (first) => ({ kind: 'append', first, contradicting: 0 }),
  });
  try {
    const none = await contestant('none', []);
    const some = await contestant(`${subscriptions}`, subscribedEntities(subscriptions, options.every));
    for (const entry of [none, some]) await entry.warmUp(asserting(WARM_UP_SECONDS));
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = round % 2 === 0 ? [none, some] : [some, none];
      for (const entry of order) await entry.measure(asserting(options.seconds / ROUNDS));
    }
    console.log(`POST /v1/facts on ${store}, ${connections} connections, ${ROUNDS} rounds by turns, by subscriptions`);
    printTable(
      place.databaseCpuMs === undefined ? Contestant.HEADING : Contestant.HEADING_WITH_DATABASE,
      [none, some].map((entry) => entry.row()),
    );
    const ratios = none.rates.map((rate, round) => (100 * (some.rates[round] ?? 0)) / rate);
    console.log(`with / without: ${share(some.requestsPerSecond, none.requestsPerSecond)}, events sent: ${hook.hits}`);
    console.log(`round by round: ${ratios.map((ratio) => figure(ratio)).join(', ')} %`);
  } finally {
    await Promise.all(started.map((entry) => entry.stop()));
    hook.stop();
    await place.close();
  }
};
