import { expect } from 'chai';
import { fewPlugins } from '../../kit/few-plugins.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type NodeProcess, NodeProcesses } from '../../kit/node-processes.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const factAbout = (entity: string) => ({
  entity,
  relation: 'memory:role',
  value: { type: 'string', v: entity },
  source: 'agent:w',
});

forEachStore('Power fails as soon as a fact is acknowledged (I1)', (store) => {
  let processes: NodeProcesses;
  before(async () => {
    processes = await NodeProcesses.on(store, fewPlugins('billing'));
  });
  after(() => processes?.stop());

  it('loses no acknowledged fact on the next start', async () => {
    const acknowledged: string[] = [];
    for (let cut = 0; cut < 3; cut += 1) {
      const [node] = (await processes.start(1)) as [NodeProcess];
      const writers = Array.from({ length: 8 }, (_, n) =>
        node.request('POST', '/v1/facts', factAbout(`user:${cut}-${n}`)),
      );
      const first = await Promise.race(writers);
      await node.end('SIGKILL');
      const answers = [
        first,
        ...(await Promise.allSettled(writers)).flatMap((end) => ('value' in end ? [end.value] : [])),
      ];
      for (const { status, body } of answers) if (status === 201) acknowledged.push(body.id);
    }
    const [node] = (await processes.start(1)) as [NodeProcess];
    for (const id of new Set(acknowledged))
      expect((await node.request('GET', `/v1/facts/${id}`)).status, id).to.equal(200);
    expect(acknowledged.length).to.be.at.least(3);
  });
});

forEachStore('Clients disconnect while their facts are being written (I2)', () => {
  const CLIENTS = 40;
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode();
    key = await node.addKey({ permissions: ['read', 'write', 'admin', 'audit.read'] });
  });
  afterEach(() => node.stop());

  it('and each stored fact has one audit entry and one bill, which belong to no other fact', async () => {
    const calls = Array.from({ length: CLIENTS }, (_, n) => {
      const hangUp = new AbortController();
      const call = node.request('POST', '/v1/facts', { key, body: factAbout(`user:${n}`), signal: hangUp.signal });
      if (n % 2 === 0) queueMicrotask(() => hangUp.abort());
      return call.catch(() => undefined);
    });
    await Promise.all(calls);
    // This write is queued behind all others, so its reply comes last.
    await node.request('POST', '/v1/facts', { key, body: factAbout('user:last') });
    const read = async (path: string) => (await node.request('GET', path, { key })).body;
    const { facts } = await read('/v1/facts?limit=500');
    const { entries } = await read('/v1/auth/audit?event_type=fact_write&limit=1000');
    const { events } = await read('/v1/admin/billing/events?limit=1000');
    const stored = facts.map(({ id }: { id: string }) => id).sort();
    expect(stored.length).to.be.above(CLIENTS / 2);
    expect(entries.map((entry: { fact_id: string }) => entry.fact_id).sort()).to.deep.equal(stored);
    expect(events.map((event: { fact_id: string }) => event.fact_id).sort()).to.deep.equal(stored);
  });
});
