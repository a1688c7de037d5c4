import { readdirSync } from 'node:fs';
import type { Agent } from 'node:http';
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

  /** Starts a node and stores a fact. `recalled` returns whether a recall finds it; an incomplete one says so. */
  const startWithFact = async () => {
    const plugins = { ...FEW_PLUGINS, recall: true, search: true };
    const env = { SVC_BOOTSTRAP_KEY: KEY, SVC_WORKERS: String(WORKERS) };
    const node = await place.start(tellingWho(place, '', plugins), env);
    const recalled = async (agent?: Agent): Promise<boolean> => {
      const body = { query: 'kite', token_budget: 1_000 };
      const options = { method: 'POST', key: KEY, body, ...(agent === undefined ? {} : { agent }) };
      const answer = await ask(`${node.url}/v1/recall`, options);
      expect(answer.status, answer.body).to.equal(200);
      const { facts, degraded } = JSON.parse(answer.body) as { facts: unknown[]; degraded: string[] };
      expect(degraded.length > 0 || facts.length === 1, answer.body).to.equal(true);
      return facts.length === 1;
    };
    const body = { entity: 'user:ann', relation: 'x-t:n', value: { type: 'text', v: 'kite' }, source: 's' };
    const written = await ask(`${node.url}/v1/facts`, { method: 'POST', key: KEY, body });
    expect(written.status, written.body).to.equal(201);
    return { node, recalled };
  };

  it('survives a kill of each process: no recall fails, and every fact is found again', async () => {
    const { node, recalled } = await startWithFact();
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
      await comesTrue(() => recalled());
    }
    expect((await node.end()).exitCode).to.equal(0);
  });

  it('survives that each process is suspended: the others find every fact, and one index remains', async () => {
    const { node, recalled } = await startWithFact();
    const folder = place.path('data/search');
    const connections = await connectionsByPid(node.url, WORKERS);
    for (const [pid, agent] of connections) {
      const others = [...connections.values()].filter((other) => other !== agent);
      await comesTrue(() => recalled(agent));
      process.kill(pid, 'SIGSTOP');
      try {
        for (const other of others) await comesTrue(() => recalled(other));
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      for (const each of connections.values()) await comesTrue(() => recalled(each));
      await comesTrue(() => readdirSync(folder).filter((name) => name.endsWith('.sock')).length === 1);
    }
    for (const agent of connections.values()) agent.destroy();
    expect((await node.end()).exitCode).to.equal(0);
  });
});
