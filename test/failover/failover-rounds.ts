import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { problemsOf } from '../crash/check-state.ts';
import { readStateOf } from '../crash/read-state.ts';
import { type NodeProcess, NodeProcesses } from '../kit/node-processes.ts';
import { scratchPlace } from '../kit/scratch-place.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { keyProblems, newRetryHistory, type RetryHistory, runRetryingClients } from '../processes/retrying-clients.ts';
import { CLUSTER_URL, DatabaseCluster, FAULTS, type Fault, urlOf } from './database-cluster.ts';
import { HostNetwork } from './host-network.ts';

/**
 * Runs inside the hub of a network: node processes under load, while the primary fails round after round. Prints a line
 * a round. Arguments: the name of the network, the number of rounds, and the account of the servers.
 */

const NODES = 3;
const FACTS_BEFORE = 100;
const LOAD_MS = 60_000;
const STANDBY_LIMIT_MS = 30_000;
const SERVE_LIMIT_MS = 10_000;
const SHOWN = 10;
/** Servers that were killed may still end their writes. */
const REMOVALS = 10;

interface Round {
  readonly round: number;
  readonly fault: Fault;
  /** Whether the old primary came back before the new one had a standby. */
  readonly isBackEarly: boolean;
  /** Seconds from the failure to the promotion. */
  readonly promotedS: number;
  /** Seconds from the promotion to the first standby. */
  readonly writableS: number;
  /** Seconds from the promotion to a write through each node. */
  readonly servedS: number;
  readonly acknowledged: number;
  readonly problems: readonly string[];
}

const [name = '', rounds = '1', uid = '', gid = ''] = process.argv.slice(2);
const network = new HostNetwork(name);
const folder = mkdtempSync(join(await scratchPlace(), 'failover-'));
const cluster = new DatabaseCluster(network, folder);
const seconds = (ms: number): number => Math.round(ms / 100) / 10;

/** Resolves when every node has stored a fact. The facts join those that must not be lost. */
const allServe = async (nodes: readonly NodeProcess[], label: string, history: RetryHistory): Promise<void> => {
  await Promise.all(
    nodes.map(async (node, at) => {
      const key = `${label}-serves-${at}`;
      const assertion = { entity: `own:${key}`, relation: 'memory:note', value: { type: 'string', v: key } };
      const body = { ...assertion, source: 'agent:serving', scope: 'company', confidence: 0.9 };
      let last: unknown;
      const served = waitUntil('a node serves', LOAD_MS, async () => {
        const reply = await node.request('POST', '/v1/facts', body, { 'Idempotency-Key': key }).catch(() => undefined);
        if (reply?.status === 201) history.acked.push({ key, id: reply.body.id });
        last = reply?.body;
        return reply?.status === 201;
      });
      await served.catch((cause: unknown) => {
        throw new Error(`node ${at} replied at last: ${JSON.stringify(last)}`, { cause });
      });
    }),
  );
};

/** Returns whether an old primary acknowledged a write between its return and its time as a standby. */
const tempt = async (host: number, round: number, isOver: () => boolean): Promise<boolean> => {
  let hasAccepted = false;
  while (!isOver()) {
    hasAccepted ||= await cluster.accepts(host, round);
    await pause(100);
  }
  return hasAccepted;
};

/**
 * Waits until the new primary has a standby. The third server cannot follow while it rewinds from the old primary, and
 * `pg_rewind` waits for a paused server without a limit. After a limit the old primary comes back early, as an operator
 * would bring it back. Returns whether it did.
 */
const repairWithoutStandby = async (old: number, promoted: number, fault: Fault): Promise<boolean> => {
  const writable = cluster.takesWrites(promoted);
  const limit = new AbortController();
  const isInTime = await Promise.race([
    writable.then(() => true),
    pause(STANDBY_LIMIT_MS, false, { signal: limit.signal }),
  ]);
  limit.abort();
  if (!isInTime) await cluster.repair(old, fault);
  await writable;
  return !isInTime;
};

const runRound = async (nodes: readonly NodeProcess[], round: number, history: RetryHistory): Promise<Round> => {
  const fault = FAULTS[(round - 1) % FAULTS.length] as Fault;
  const before = history.acked.length;
  let isOver = false;
  const clients = runRetryingClients(
    () => nodes,
    `round-${round}`,
    history,
    () => isOver,
  );
  await waitUntil('facts are acknowledged', LOAD_MS, () => history.acked.length >= before + FACTS_BEFORE);
  const old = await cluster.primary();
  const beganMs = performance.now();
  await cluster.break(old, fault);
  const promoted = await cluster.primary(old);
  const promotedMs = performance.now();
  const isBackEarly = await repairWithoutStandby(old, promoted, fault);
  const writableMs = performance.now();
  await allServe(nodes, `round-${round}`, history);
  const servedMs = performance.now();
  isOver = true;
  await clients;
  const problems: string[] = [];
  if (servedMs - writableMs > SERVE_LIMIT_MS) problems.push('the nodes took longer than 10 s');
  let isWhole = false;
  // A server that is cut off is reached from its own host, so it is tempted before it is back, too.
  const tempted = tempt(old, round, () => isWhole);
  if (fault === 'cut off') await pause(1_000);
  if (!isBackEarly) await cluster.repair(old, fault);
  await cluster.isWhole();
  isWhole = true;
  const primary = await cluster.primary();
  // After a second failover in one round the old primary may be the primary again, and then its writes count.
  if ((await tempted) && primary !== old) problems.push('the old primary accepted a write');
  const state = await readStateOf({ kind: 'postgres', place: urlOf(primary) });
  problems.push(...keyProblems(history, state), ...problemsOf(state), ...history.unexpected);
  const acknowledged = history.acked.length - before;
  return {
    round,
    fault,
    isBackEarly,
    promotedS: seconds(promotedMs - beganMs),
    writableS: seconds(writableMs - promotedMs),
    servedS: seconds(servedMs - promotedMs),
    acknowledged,
    problems,
  };
};

let processes: NodeProcesses | undefined;
try {
  // The account of the servers must reach its folders in this one.
  chmodSync(folder, 0o755);
  await cluster.start({ uid: Number(uid), gid: Number(gid) });
  processes = await NodeProcesses.onDatabase(CLUSTER_URL);
  const nodes = await processes.start(NODES);
  const history = newRetryHistory();
  for (let round = 1; round <= Number(rounds); round += 1) {
    const { fault, isBackEarly, promotedS, writableS, servedS, acknowledged, problems } = await runRound(
      nodes,
      round,
      history,
    );
    const times = `promotion after ${promotedS} s, standby ${writableS} s later${isBackEarly ? ', with the old primary back' : ''}, served ${servedS} s later`;
    const lost = problems.filter((problem) => problem.includes('is not there')).length;
    const doubled = problems.filter((problem) => problem.includes('several facts')).length;
    const facts = `${acknowledged} facts acknowledged, ${lost} lost, ${doubled} doubled, ${problems.length} problems`;
    console.log(`round ${round}: primary ${fault}; ${times}; ${facts}`);
    if (problems.length === 0) continue;
    console.log(problems.slice(0, SHOWN).join('\n'));
    process.exitCode = 1;
  }
  const codes = [...history.problems].map(([code, times]) => `${code} ${times}`).join(', ');
  console.log(`${history.acked.length} facts in all; refusals: ${codes}; without a reply: ${history.unanswered}`);
} catch (error) {
  console.log(cluster.logs());
  throw error;
} finally {
  await processes?.stop();
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: REMOVALS });
}
process.exit();
