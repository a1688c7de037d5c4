import { expect } from 'chai';
import pg from 'pg';
import { problemsOf } from '../crash/check-state.ts';
import { SEED } from '../crash/crash-counts.ts';
import { readStateOf, STATE_PLUGINS } from '../crash/read-state.ts';
import { type NodeProcess, NodeProcesses } from '../kit/node-processes.ts';
import { administer } from '../kit/postgres-server.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { PAUSES } from './process-counts.ts';
import { keyProblems, newRetryHistory, runRetryingClients } from './retrying-clients.ts';

const PROCESSES = 3;
/** The time limit for the database to release the lock. A paused process itself would hold it for ever. */
const LIMIT_MS = 90_000;
const MS_PER_PAUSE = 4 * LIMIT_MS;

const assertion = (v: string) => ({
  entity: 'paused:one',
  relation: 'memory:note',
  value: { type: 'string', v },
  source: 'agent:paused',
  scope: 'company',
  confidence: 0.9,
});

describe('A process on PostgreSQL that is suspended in the middle of a write', () => {
  let processes: NodeProcesses;
  beforeEach(async () => {
    processes = await NodeProcesses.on('postgres', STATE_PLUGINS);
  });
  afterEach(() => processes?.stop());

  /** Counts the database sessions of the nodes for which the condition holds. */
  const sessions = async (condition: string): Promise<number> => {
    const [row] = await administer(
      processes.place,
      `SELECT count(*)::int AS found FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'fact-memory-node' AND ${condition}`,
    );
    return Number(row?.['found']);
  };

  /** Suspends the process while its transaction holds the lock of its tenant, which blocks all other writers. */
  const pauseInTransaction = async (victim: NodeProcess, write: () => void): Promise<void> => {
    const holder = new pg.Client({ connectionString: processes.place });
    await holder.connect();
    try {
      await holder.query('BEGIN; SELECT wall FROM node_clock FOR UPDATE');
      write();
      await waitUntil('the write waits', LIMIT_MS, async () => (await sessions("wait_event_type = 'Lock'")) > 0);
      victim.child.kill('SIGSTOP');
    } finally {
      await holder.end();
    }
    await waitUntil(
      'the write stands still',
      LIMIT_MS,
      async () => (await sessions("state = 'idle in transaction'")) > 0,
    );
  };

  it('blocks the others only as long as the database allows, and reports the truth when it resumes', async function () {
    this.timeout(PAUSES * MS_PER_PAUSE);
    const [victim] = (await processes.start(PROCESSES)) as [NodeProcess];
    const others = () => processes.running.filter((node) => node !== victim);
    const history = newRetryHistory();
    for (let round = 1; round <= PAUSES; round += 1) {
      const key = `${SEED}-paused-${round}`;
      const write = () => victim.request('POST', '/v1/facts', assertion(key), { 'Idempotency-Key': key });
      const storedTimes = async (): Promise<number> =>
        (await readStateOf(processes)).facts.filter(({ v, isSystem }) => v === key && !isSystem).length;
      let answer: ReturnType<typeof write> | undefined;
      await pauseInTransaction(victim, () => {
        answer = write();
      });

      const wanted = history.acked.length + 1;
      let isOver = false;
      const clients = runRetryingClients(others, `${SEED}-${round}`, history, () => isOver);
      await waitUntil('the others write', LIMIT_MS, () => history.acked.length >= wanted);
      isOver = true;
      await clients;

      victim.child.kill('SIGCONT');
      const reply = await answer;
      expect(reply?.status, JSON.stringify(reply)).to.be.oneOf([201, 503]);
      expect(await storedTimes(), JSON.stringify(reply)).to.equal(reply?.status === 201 ? 1 : 0);
      const again = await write();
      expect(again.status, JSON.stringify(again)).to.equal(201);
      expect(await storedTimes()).to.equal(1);
      history.acked.push({ key, id: again.body.id });
    }
    const state = await readStateOf(processes);
    expect([...history.unexpected, ...keyProblems(history, state), ...problemsOf(state)]).to.deep.equal([]);
  });
});
