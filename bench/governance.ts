import { compareRecalls, ROUNDS, type Side } from './compare-recalls.ts';
import { Contestant, type ContestLoad } from './contestant.ts';
import { type BenchStore, openPlace } from './processes/bench-place.ts';
import type { ServerProcess } from './processes/child-process.ts';
import { NODE_KEY } from './processes/launch-node.ts';
import { figure, printTable, share } from './report/print-table.ts';
import { sidesOfRound } from './sides-of-round.ts';

export interface GovernanceOptions {
  readonly connections: number;
  /** Seconds of measured assertions for each side. */
  readonly seconds: number;
  /** The number of facts in the store of the recall measurement. */
  readonly facts: number;
  readonly store: BenchStore;
}

const WARM_UP_SECONDS = 4;
/**
 * The number of rules and markers, none of which matches a measured fact. The bench measures their cost for unrelated
 * facts.
 */
const TOMBSTONES = 200;
const NAMESPACES = 50;

/** Settings that switch on every governance feature, with limits that refuse nothing. */
const GOVERNED: NodeJS.ProcessEnv = {
  SVC_MULTI_TENANT_ENABLED: 'true',
  SVC_SOURCE_ATTESTATION_MODE: 'warn',
  SVC_TOMBSTONES_ENABLED: 'true',
  SVC_NAMESPACES_ENABLED: 'true',
  SVC_RATE_LIMITS: 'fact_write=10000000,fact_read=10000000,recall=10000000',
  SVC_MAX_STORED_BYTES_PER_ENTITY: '1000000000000',
  SVC_AUDIT_RETENTION_DAYS: '365',
};

/** Compares assertions and recalls of a node with every governance feature on and of a node without any. */
export const benchGovernance = async (options: GovernanceOptions): Promise<void> => {
  const place = await openPlace(options.store);
  const started: Contestant[] = [];
  const open = async (name: string, env: NodeJS.ProcessEnv): Promise<Side> => {
    const nodes = await place.startNodes({ env });
    const contestant = new Contestant(name, nodes, place.databaseCpuMs);
    started.push(contestant);
    return { name, contestant, node: nodes[0] as ServerProcess };
  };
  try {
    const plain = await open('off', {});
    const governed = await open('on', GOVERNED);
    await govern(governed.node);
    const heading = place.databaseCpuMs === undefined ? Contestant.HEADING : Contestant.HEADING_WITH_DATABASE;
    await compareRecalls([plain, governed], options);
    await compareAppends([plain, governed], options, heading);
  } finally {
    await Promise.all(started.map((contestant) => contestant.stop()));
    await place.close();
  }
};

const govern = async ({ port }: ServerProcess): Promise<void> => {
  const send = async (method: string, path: string, body: object): Promise<void> => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { Authorization: `Bearer ${NODE_KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${method} ${path} was refused with ${reply.status}: ${await reply.text()}`);
  };
  for (let n = 0; n < TOMBSTONES; n += 1) await send('POST', '/v1/tombstones', { entity_uri: `user:forgotten-${n}` });
  for (let n = 0; n < NAMESPACES; n += 1) {
    const pattern = `svc://bench.example/project/p${n}/*`;
    await send('PUT', '/v1/namespaces', { pattern, owners: [`agent:owner-${n}`] });
  }
};

const compareAppends = async (
  sides: readonly [Side, Side],
  { connections, seconds, store }: GovernanceOptions,
  heading: readonly string[],
): Promise<void> => {
  const asserting = (forSeconds: number): ContestLoad => ({
    connections,
    seconds: forSeconds,
    expectedStatus: '201',
    requests: (first) => ({ kind: 'append', first, contradicting: 0.02 }),
  });
  for (const { contestant } of sides) await contestant.warmUp(asserting(WARM_UP_SECONDS));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { contestant } of sidesOfRound(sides, round)) await contestant.measure(asserting(seconds / ROUNDS));
  }
  const [off, on] = sides.map(({ contestant }) => contestant) as [Contestant, Contestant];
  console.log(
    `\nPOST /v1/facts on ${store}, ${connections} connections, ${ROUNDS} rounds by turns, governance off and on`,
  );
  printTable(
    heading,
    [off, on].map((contestant) => contestant.row()),
  );
  const rounds = off.rates.map((rate, round) => figure((100 * (on.rates[round] ?? 0)) / rate));
  console.log(`on / off: ${share(on.requestsPerSecond, off.requestsPerSecond)} (rounds: ${rounds.join(', ')})`);
};
