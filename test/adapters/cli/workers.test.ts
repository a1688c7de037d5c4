import type { Agent } from 'node:http';
import { expect } from 'chai';
import { problemsOf } from '../../crash/check-state.ts';
import { readStateOf } from '../../crash/read-state.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { createTestDatabase, type TestDatabase } from '../../kit/postgres-server.ts';
import { type RunningProgram, Workplace } from './spawned-program.ts';
import { ask, connectionsByPid, nextLines, pidAt, tellingWho } from './worker-answers.ts';

const KEY = 'workers-0123456789abcdef0123456789abcdef';
const WORKERS = 3;

forEachStore('several processes behind one port', (kind) => {
  let place: Workplace;
  let database: TestDatabase | undefined;
  // One node for all tests, because four processes with all plugins take longer to start than the tests take.
  let node: RunningProgram;

  before(async () => {
    place = new Workplace();
    database = kind === 'postgres' ? await createTestDatabase() : undefined;
    const store = database === undefined ? { SVC_DB_PATH: place.path('node.db') } : { SVC_DATABASE_URL: database.url };
    node = await place.start(tellingWho(place), { SVC_BOOTSTRAP_KEY: KEY, SVC_WORKERS: String(WORKERS), ...store });
  });
  after(async () => {
    await place.dispose();
    await database?.drop();
  });

  const storePlace = (): string => database?.url ?? place.path('node.db');
  const release = (connections: ReadonlyMap<number, Agent>): void => {
    for (const agent of connections.values()) agent.destroy();
  };

  it('share the port, and each connection stays with one process', async () => {
    const connections = await connectionsByPid(node.url, WORKERS);

    expect([...connections.keys()]).not.to.include(node.child.pid);
    for (const [pid, agent] of connections) {
      expect([await pidAt(node.url, agent), await pidAt(node.url, agent)]).to.deep.equal([pid, pid]);
      expect((await ask(`${node.url}/healthz`, { agent })).status).to.equal(200);
    }
    release(connections);
  });

  it('continue while a killed process is replaced', async () => {
    const connections = await connectionsByPid(node.url, WORKERS);
    const before = [...connections.keys()];
    release(connections);
    const [victim = 0] = before;
    const noticed = nextLines(node, 'a worker ended and is started again', 1);
    process.kill(victim, 'SIGKILL');

    expect((await noticed)[0]).to.include({ pid: victim, signal: 'SIGKILL', restartInMs: 250, level: 'error' });
    // Rejects for any status other than 200.
    await comesTrue(async () => !before.includes(await pidAt(node.url)));
  });

  it('all refuse a key that one process revoked', async () => {
    const connections = await connectionsByPid(node.url, WORKERS);
    const rawKey = 'guest-0123456789abcdef0123456789abcdef';
    const registration = { raw_key: rawKey, entity_uri: 'agent:guest', permissions: ['read'] };
    const registered = await ask(`${node.url}/v1/auth/keys`, { method: 'POST', key: KEY, body: registration });
    expect(registered.status, registered.body).to.equal(201);
    const statuses = (): Promise<number[]> =>
      Promise.all(
        [...connections.values()].map(async (agent) => (await ask(`${node.url}/v1/me`, { agent, key: rawKey })).status),
      );
    expect(await statuses()).to.deep.equal([200, 200, 200]);
    const { id } = JSON.parse(registered.body) as { id: string };
    expect((await ask(`${node.url}/v1/auth/keys/${id}`, { method: 'DELETE', key: KEY })).status).to.equal(204);

    await comesTrue(async () => (await statuses()).every((status) => status === 401));
    release(connections);
  });

  it('write into one feed and into the same triples without losing or repeating facts', async () => {
    // Two connections for each process: writes share commits within one process, and processes alternate.
    const connections = [await connectionsByPid(node.url, WORKERS), await connectionsByPid(node.url, WORKERS)];
    const write = async (agent: Agent, n: number): Promise<string> => {
      const body = { entity: `item:${n % 8}`, relation: 'x-t:n', value: { type: 'number', v: n }, source: 's' };
      const answer = await ask(`${node.url}/v1/facts`, { agent, method: 'POST', key: KEY, body });
      expect(answer.status, answer.body).to.equal(201);
      return (JSON.parse(answer.body) as { id: string }).id;
    };
    const agents = connections.flatMap((each) => [...each.values()]);
    const writer = async (agent: Agent, from: number): Promise<string[]> => {
      const ids: string[] = [];
      for (let n = from; n < from + 25; n += 1) ids.push(await write(agent, n));
      return ids;
    };
    const ids = await Promise.all(agents.map((agent, n) => writer(agent, n * 25)));
    connections.forEach(release);
    const { exitCode, stderr } = await node.end();
    expect(exitCode, stderr).to.equal(0);
    const serving = stderr.match(/"pid":\d+,"url":"[^"]+","message":"the node serves"/g) ?? [];
    // One process was replaced.
    expect(new Set(serving)).to.have.length(WORKERS + 1);

    const state = await readStateOf({ kind, place: storePlace() });
    expect(problemsOf(state)).to.deep.equal([]);
    const asserted = state.facts.filter(({ isSystem }) => !isSystem).map((fact) => fact.id);
    expect(asserted.sort()).to.deep.equal(ids.flat().sort());
  });
});
