import { expect } from 'chai';
import { comesTrue } from '../../kit/comes-true.ts';
import { FEW_PLUGINS } from '../../kit/few-plugins.ts';
import { Workplace } from './spawned-program.ts';
import { ask, connectionsByPid, nextLines, tellingWho } from './worker-answers.ts';

const KEY = 'workers-0123456789abcdef0123456789abcdef';
const WORKERS = 2;

describe('the search index of several processes', () => {
  const place = new Workplace();
  after(() => place.dispose());

  it('survives a kill of each process: no recall fails, and every fact is found again', async () => {
    const plugins = { ...FEW_PLUGINS, recall: true, search: true };
    const env = { SVC_BOOTSTRAP_KEY: KEY, SVC_WORKERS: String(WORKERS) };
    const node = await place.start(tellingWho(place, '', plugins), env);
    const recalled = async () => {
      const body = { query: 'kite', token_budget: 1_000 };
      const answer = await ask(`${node.url}/v1/recall`, { method: 'POST', key: KEY, body });
      expect(answer.status, answer.body).to.equal(200);
      const { facts, degraded } = JSON.parse(answer.body) as { facts: unknown[]; degraded: string[] };
      expect(degraded.length > 0 || facts.length === 1, answer.body).to.equal(true);
      return facts.length;
    };
    const body = { entity: 'user:ann', relation: 'x-t:n', value: { type: 'text', v: 'kite' }, source: 's' };
    const written = await ask(`${node.url}/v1/facts`, { method: 'POST', key: KEY, body });
    expect(written.status, written.body).to.equal(201);
    const pids = async (): Promise<number[]> => {
      const connections = await connectionsByPid(node.url, WORKERS);
      for (const agent of connections.values()) agent.destroy();
      return [...connections.keys()];
    };
    for (const pid of await pids()) {
      await pids();
      // The supervisor must know of the end, or it hands connections to the dead process.
      const noticed = nextLines(node, 'a worker ended and is started again', 1);
      process.kill(pid, 'SIGKILL');
      await noticed;
      await comesTrue(async () => (await recalled()) === 1);
    }
    expect((await node.end()).exitCode).to.equal(0);
  });
});
