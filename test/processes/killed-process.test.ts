import { expect } from 'chai';
import { problemsOf } from '../crash/check-state.ts';
import { SEED } from '../crash/crash-counts.ts';
import { readStateOf, STATE_PLUGINS } from '../crash/read-state.ts';
import { createSeededRandom } from '../fakes/seeded-random.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { type NodeProcess, NodeProcesses } from '../kit/node-processes.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { KILLS_OF_THREE } from './process-counts.ts';
import { keyProblems, newRetryHistory, runRetryingClients } from './retrying-clients.ts';

const PROCESSES = 3;
const SECONDS_PER_KILL = 60;
/** The maximum number of facts that are acknowledged before each kill. */
const MOST_BEFORE = 100;
/** The time limit for the other processes to continue. */
const RECOVERY_MS = 5_000;
/** The time limit for load to build up, generous for busy machines. */
const LOAD_MS = 60_000;
const SHOWN = 10;

forEachStore('Three processes of which one is killed while clients retry', (store) => {
  const kills = KILLS_OF_THREE[store];
  let processes: NodeProcesses;
  beforeEach(async () => {
    processes = await NodeProcesses.on(store, STATE_PLUGINS);
  });
  afterEach(() => processes?.stop());

  it('continue, and store every acknowledged fact exactly once with all derived rows', async function () {
    this.timeout((kills + 1) * SECONDS_PER_KILL * 1000);
    const { fraction } = createSeededRandom(SEED);
    await processes.start(PROCESSES);
    const history = newRetryHistory();
    const acked = (facts: number, limitMs: number): Promise<void> => {
      const wanted = history.acked.length + facts;
      return waitUntil('facts are acknowledged', limitMs, () => history.acked.length >= wanted);
    };
    for (let round = 1; round <= kills; round += 1) {
      let isOver = false;
      const clients = runRetryingClients(
        () => processes.running,
        `${SEED}-${round}`,
        history,
        () => isOver,
      );
      await acked(fraction() * MOST_BEFORE, LOAD_MS);
      const victim = processes.running[Math.floor(fraction() * PROCESSES)] as NodeProcess;
      await victim.end('SIGKILL');
      await acked(1, RECOVERY_MS);
      for (const node of processes.running) {
        await waitUntil('the others are healthy', RECOVERY_MS, () => node.isHealthy());
      }
      await processes.start(1);
      await acked(PROCESSES, LOAD_MS);
      isOver = true;
      await clients;
      const state = await readStateOf(processes);
      const problems = [...history.unexpected, ...keyProblems(history, state), ...problemsOf(state)];
      expect(problems.slice(0, SHOWN), `seed ${SEED}, kill ${round}`).to.deep.equal([]);
    }
  });
});
