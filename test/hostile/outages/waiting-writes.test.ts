import { mock } from 'node:test';
import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const LIMIT_MS = 5_000;
const FACT = { entity: 'user:a', relation: 'memory:note', value: { type: 'string', v: 'x' }, source: 'agent:a' };

describe('a write that waits behind another one on SQLite (I20)', () => {
  let node: TestNode;
  let noteWrite = (): void => {};
  before(async () => {
    const noted = (store: FactStore): FactStore =>
      new Proxy(store, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...given: unknown[]): unknown => {
            const result: unknown = member.apply(target, given);
            if (name === 'write') noteWrite();
            return result;
          };
        },
      });
    node = await startTestNode({ plugins: ['facts'], store: 'sqlite', wrapStore: noted });
  });
  afterEach(() => mock.timers.reset());
  after(() => node.stop());

  it('gets 503 with Retry-After after five seconds, stores nothing, and succeeds when it comes again', async () => {
    const key = await node.addKey();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const blocking = node.kernel.get(FactStore).write('default', () => held);
    const waits = new Promise<void>((resolve) => {
      noteWrite = resolve;
    });
    mock.timers.enable({ apis: ['setTimeout'] });
    const asked = node.request('POST', '/v1/facts', { key, body: FACT });
    await waits;
    mock.timers.tick(LIMIT_MS - 1);
    const early = await Promise.race([asked, new Promise((resolve) => setImmediate(resolve, 'waits'))]);
    expect(early).to.equal('waits');
    mock.timers.tick(1);
    const { status, headers, body } = await asked;
    expect({ status, wait: headers['retry-after'], code: body.code }).to.deep.equal({
      status: 503,
      wait: '1',
      code: 'unavailable',
    });
    release();
    await blocking;
    const count = async () => (await node.request('GET', '/v1/facts?entity=user:a', { key })).body.facts.length;
    expect(await count()).to.equal(0);
    expect((await node.request('POST', '/v1/facts', { key, body: FACT })).status).to.equal(201);
    expect(await count()).to.equal(1);
  });
});
