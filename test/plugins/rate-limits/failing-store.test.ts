import { expect } from 'chai';
import { type FactStore, ServiceError } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestNode } from '../../kit/start-test-node.ts';
import { startLimitedNode, statusesOf } from './quota-kit.ts';

type Write = FactStore['write'];

forEachStore('Quotas on a failing store', () => {
  let node: TestNode;
  /** The simulated failure of write transactions that store quotas. */
  let failure: 'none' | 'unavailable' | 'commit_unknown' | 'silent';
  let asked: () => void;
  afterEach(() => node.stop());

  const failing = (store: FactStore): FactStore =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'write') return member.bind(target);
        return (...[lock, work]: Parameters<Write>) => {
          if (lock !== 'rate limits' || failure === 'none') return target.write(lock, work);
          asked();
          if (failure === 'silent') return new Promise(() => {});
          return Promise.reject(new ServiceError(failure, 'the store fails'));
        };
      },
    });

  const start = async (): Promise<string> => {
    failure = 'none';
    asked = () => {};
    node = await startLimitedNode('fact_read=10', { wrapStore: failing });
    return node.addKey();
  };

  it('refuse requests with 503, without counting them, until the store recovers', async () => {
    const key = await start();
    const read = () => node.request('GET', '/v1/facts', { key });
    expect(await statusesOf(1, read)).to.deep.equal([200]);
    failure = 'unavailable';
    const refused = await read();
    expect([refused.status, refused.body.code]).to.deep.equal([503, 'unavailable']);
    failure = 'commit_unknown';
    const unsure = await read();
    expect([unsure.status, unsure.body.code]).to.deep.equal([503, 'unavailable']);
    failure = 'none';
    expect(await statusesOf(10, read)).to.deep.equal([...Array(9).fill(200), 429]);
  });

  it('refuse a request after a timeout if the store never replies', async () => {
    const key = await start();
    failure = 'silent';
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const reply = node.request('GET', '/v1/facts', { key });
    await isAsked;
    await node.clock.advance(5_000);
    expect((await reply).status).to.equal(503);
  });
});
