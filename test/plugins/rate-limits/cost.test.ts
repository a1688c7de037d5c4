import { expect } from 'chai';
import type { FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { countOf, newFact, startLimitedNode, statusesOf } from './quota-kit.ts';

const REQUESTS = 1_000;

/** Counts the write transactions by the lock that they take. */
const countWrites = (store: FactStore, writes: Map<string, number>): FactStore =>
  new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'write') return member.bind(target);
      return (lock: string, work: unknown) => {
        writes.set(lock, (writes.get(lock) ?? 0) + 1);
        return Reflect.apply(member, target, [lock, work]);
      };
    },
  });

const LOCK = 'rate limits';

forEachStore('The cost of quotas', () => {
  let node: TestNode;
  let writes: Map<string, number>;
  const start = async (limits: string): Promise<string> => {
    node = await startLimitedNode(limits, { wrapStore: (store) => countWrites(store, writes) });
    return node.addKey();
  };
  beforeEach(() => {
    writes = new Map();
  });
  afterEach(() => node.stop());

  it('is one write for dozens of requests, whether they are accepted or refused', async function () {
    this.timeout(300_000);
    const key = await start('fact_read=1000');
    const read = () => node.request('GET', '/v1/facts/00000000-0000-4000-8000-000000000000', { key });
    expect(countOf(await statusesOf(REQUESTS, read), 404)).to.equal(REQUESTS);
    expect(writes.get(LOCK)).to.be.greaterThan(1).and.lessThan(50);
    writes.clear();
    expect(countOf(await statusesOf(200, read), 429)).to.equal(200);
    expect(writes.get(LOCK) ?? 0).to.be.at.most(1);
  });

  it('is fewer than ten writes for 300 simultaneous requests', async () => {
    const key = await start('fact_read=200');
    const read = () => node.request('GET', '/v1/facts/00000000-0000-4000-8000-000000000000', { key });
    const replies = await Promise.all(Array.from({ length: 300 }, read));
    expect(replies.filter(({ status }) => status === 404)).to.have.length(200);
    expect(writes.get(LOCK)).to.be.lessThan(10);
  });

  it('is zero for a dimension without a limit, and without any limits', async () => {
    const key = await start('recall=10');
    await statusesOf(3, () => node.request('POST', '/v1/facts', { key, body: newFact() }));
    expect(writes.get(LOCK)).to.equal(undefined);
    await node.stop();
    node = await startTestNode({ wrapStore: (store) => countWrites(store, writes) });
    const { hooks, tasks } = await node.node.describe();
    const handled = hooks.filter((hook) => JSON.stringify(hook).includes('"rate-limits"')).map(({ hook }) => hook);
    // The only hook is for erasures, which reduce the stored bytes of an entity.
    expect(handled).to.deep.equal(['fact:erased']);
    expect(JSON.stringify(tasks)).not.to.contain('rate-limits');
  });
});
