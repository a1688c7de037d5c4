import { expect } from 'chai';
import { problemsOf } from '../crash/check-state.ts';
import { SEED } from '../crash/crash-counts.ts';
import { readStateOf, STATE_PLUGINS } from '../crash/read-state.ts';
import { type CuttingProxy, startCuttingProxy } from '../kit/cutting-proxy.ts';
import { NodeProcesses } from '../kit/node-processes.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { LOST_ANSWERS } from './process-counts.ts';
import { keyProblems, newRetryHistory, runRetryingClients } from './retrying-clients.ts';

const PROCESSES = 3;
const MS_PER_LOST_ANSWER = 2_000;
const SHOWN = 10;

describe('Three processes on PostgreSQL that do not learn whether a write was committed', () => {
  let processes: NodeProcesses;
  let proxy: CuttingProxy;
  beforeEach(async () => {
    processes = await NodeProcesses.on('postgres', STATE_PLUGINS);
    proxy = await startCuttingProxy(processes.place);
  });
  afterEach(async () => {
    await processes?.stop();
    await proxy?.close();
  });

  it('return the stored fact when its client retries at any of them', async function () {
    const limitMs = LOST_ANSWERS * MS_PER_LOST_ANSWER;
    this.timeout(300_000 + limitMs);
    await processes.start(PROCESSES, { SVC_DATABASE_URL: proxy.url });
    const history = newRetryHistory();
    let isOver = false;
    const clients = runRetryingClients(
      () => processes.running,
      `${SEED}`,
      history,
      () => isOver,
    );
    await waitUntil('clients hear of facts that were there', limitMs, () => {
      proxy.cutAnswerTo('COMMIT\u0000');
      return history.replayed >= LOST_ANSWERS;
    });
    isOver = true;
    await clients;
    const state = await readStateOf(processes);
    const problems = [...history.unexpected, ...keyProblems(history, state), ...problemsOf(state)];
    expect(problems.slice(0, SHOWN), `seed ${SEED}`).to.deep.equal([]);
    expect(history.problems.get('commit_unknown'), 'commits of which nobody heard').to.be.at.least(1);
    expect(history.unanswered, 'requests without an answer').to.equal(0);
  });
});
