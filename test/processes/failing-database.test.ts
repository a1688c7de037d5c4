import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { problemsOf } from '../crash/check-state.ts';
import { SEED } from '../crash/crash-counts.ts';
import { readStateOf, STATE_PLUGINS } from '../crash/read-state.ts';
import { type NodeProcess, NodeProcesses } from '../kit/node-processes.ts';
import { type PostgresProcess, startPostgres } from '../kit/postgres-process.ts';
import { administer } from '../kit/postgres-server.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { FACTS_UNDER_TERMINATION, OUTAGE_MS, OUTAGES, TERMINATIONS } from './process-counts.ts';
import { keyProblems, newRetryHistory, type RetryHistory, runRetryingClients } from './retrying-clients.ts';

const PROCESSES = 3;
/** The time limit within which a node must notice that its database is down, or up again. */
const NOTICE_MS = 5_000;
/** The time limit for load to build up, generous for busy machines. */
const LOAD_MS = 60_000;
const FACTS_BEFORE = 50;
const SECONDS_PER_OUTAGE = 120;
const SHOWN = 10;

/** Terminates every database session of the nodes. */
const TERMINATE = `SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity
  WHERE application_name = 'fact-memory-node'`;

describe('Three processes with a failing PostgreSQL server, while clients retry', () => {
  let server: PostgresProcess;
  let processes: NodeProcesses;
  let nodes: readonly NodeProcess[];
  // The facts of all tests, because they share the database.
  let history: RetryHistory;
  before(async function () {
    this.timeout(300_000);
    server = await startPostgres();
    processes = await NodeProcesses.onDatabase(server.url, STATE_PLUGINS);
    nodes = await processes.start(PROCESSES);
    history = newRetryHistory();
  });
  after(async () => {
    await processes?.stop();
    await server?.stop();
  });

  const acked = (facts: number): Promise<void> => {
    const wanted = history.acked.length + facts;
    return waitUntil('facts are acknowledged', LOAD_MS, () => history.acked.length >= wanted);
  };

  const heardOfOutages = (): number => history.problems.get('unavailable') ?? 0;

  /** Waits until each node reports this status and body. */
  const allSay = (status: number, body: unknown): Promise<unknown> =>
    Promise.all(
      nodes.map(async (node) => {
        await waitUntil(`a node says ${status}`, NOTICE_MS, async () => (await node.isHealthy()) === (status === 200));
        const health = await node.request('GET', '/healthz');
        expect(health.body).to.deep.equal(body);
        expect(health.status).to.equal(status);
      }),
    );

  const expectAllStoredOnce = async (): Promise<void> => {
    const state = await readStateOf(processes);
    const problems = [...history.unexpected, ...keyProblems(history, state), ...problemsOf(state)];
    expect(problems.slice(0, SHOWN), `seed ${SEED}`).to.deep.equal([]);
  };

  for (const how of ['fast', 'crash'] as const) {
    it(`report that they are unhealthy, and have all their data when the server is back: ${how}`, async function () {
      this.timeout(OUTAGES * (SECONDS_PER_OUTAGE * 1000 + OUTAGE_MS));
      const heard = heardOfOutages();
      for (let outage = 1; outage <= OUTAGES; outage += 1) {
        let isOver = false;
        const clients = runRetryingClients(
          () => processes.running,
          `${SEED}-${how}-${outage}`,
          history,
          () => isOver,
        );
        await acked(FACTS_BEFORE);
        await server.halt(how);
        const down = pause(OUTAGE_MS);
        await allSay(503, { status: 'unavailable' });
        await down;
        const before = history.acked.length;
        await server.resume();
        await allSay(200, { status: 'ok' });
        await waitUntil('a fact is acknowledged', NOTICE_MS, () => history.acked.length > before);
        await acked(FACTS_BEFORE);
        isOver = true;
        await clients;
        await expectAllStoredOnce();
      }
      expect(heardOfOutages(), 'clients heard of the outage').to.be.above(heard);
      expect(history.unanswered, 'requests without an answer').to.equal(0);
    });
  }

  it('store every acknowledged fact exactly once when their sessions are terminated repeatedly', async function () {
    this.timeout(300_000 + TERMINATIONS * LOAD_MS);
    let isOver = false;
    const clients = runRetryingClients(
      () => processes.running,
      `${SEED}`,
      history,
      () => isOver,
    );
    let ended = 0;
    for (let time = 0; time < TERMINATIONS; time += 1) {
      await acked(FACTS_UNDER_TERMINATION / TERMINATIONS);
      // The second attempt also ends sessions that the nodes open meanwhile.
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const [row] = await administer(server.url, TERMINATE);
        ended += Number(row?.['ended']);
      }
    }
    await allSay(200, { status: 'ok' });
    await acked(PROCESSES);
    isOver = true;
    await clients;
    expect(ended, 'sessions that were ended').to.be.above(TERMINATIONS);
    expect(history.unanswered, 'requests without an answer').to.equal(0);
    await expectAllStoredOnce();
  });
});
