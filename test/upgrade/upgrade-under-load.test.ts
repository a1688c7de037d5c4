import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { problemsOf } from '../crash/check-state.ts';
import { SEED } from '../crash/crash-counts.ts';
import { readStateOf, STATE_PLUGINS } from '../crash/read-state.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { type NodeProcess, NodeProcesses } from '../kit/node-processes.ts';
import { rejection } from '../kit/rejection.ts';
import { waitUntil } from '../kit/wait-until.ts';
import { UPGRADED_FACTS } from '../processes/process-counts.ts';
import { keyProblems, newRetryHistory, runRetryingClients } from '../processes/retrying-clients.ts';

const NEXT_VERSION = fileURLToPath(new URL('./next-version.js', import.meta.url));
/** A process that ends serves for this long, as one behind a proxy does. */
const DRAINING = { SVC_DRAIN_DELAY_S: '1' };
const LOAD_MS = 240_000;
const SHOWN = 10;

const fact = (v: string) => ({
  entity: `own:${v}`,
  relation: 'memory:note',
  value: { type: 'string', v },
  source: 'agent:retrying',
  scope: 'company',
});

forEachStore('A node that is upgraded to a made-up next version while clients write', (kind) => {
  let processes: NodeProcesses;
  beforeEach(async () => {
    processes = await NodeProcesses.on(kind, STATE_PLUGINS);
  });
  afterEach(() => processes?.stop());

  const start = async (program?: string): Promise<NodeProcess> => {
    const [node] = await processes.start(1, DRAINING, program);
    return node as NodeProcess;
  };

  it('loses no request and no fact', async function () {
    this.timeout(LOAD_MS);
    const former = await start();
    let serving: readonly NodeProcess[] = [former];
    let isOver = false;
    const history = newRetryHistory();
    const clients = runRetryingClients(
      () => serving,
      `upgrade-${SEED}`,
      history,
      () => isOver,
    );
    const acknowledged = async (): Promise<void> => {
      const wanted = history.acked.length + UPGRADED_FACTS;
      await waitUntil('facts are acknowledged', LOAD_MS, () => history.acked.length >= wanted);
    };
    await acknowledged();
    if (kind === 'postgres') {
      // Both versions serve beside each other, and no client has to ask twice.
      const next = await start(NEXT_VERSION);
      serving = [former, next];
      await acknowledged();
      for (const [node, name] of [
        [former, 'former'],
        [next, 'next'],
      ] as const) {
        const { status, body } = await node.request('POST', '/v1/facts', fact(name), { 'Idempotency-Key': name });
        expect(status, name).to.equal(201);
        history.acked.push({ key: name, id: body.id });
      }
      serving = [next];
      await former.end('SIGTERM');
      expect([history.unanswered, [...history.problems]]).to.deep.equal([0, []]);
    } else {
      // One file has one version at a time: clients ask again until the next one serves.
      await former.end('SIGTERM');
      serving = [await start(NEXT_VERSION)];
    }
    await acknowledged();
    isOver = true;
    await clients;

    const state = await readStateOf(processes);
    const problems = [...history.unexpected, ...keyProblems(history, state), ...problemsOf(state)];
    expect(problems.slice(0, SHOWN), `seed ${SEED}`).to.deep.equal([]);
    expect(String(await rejection(start()))).to.contain('written by a newer version: it has migration 901_made_up');
  });
});
