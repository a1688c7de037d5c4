import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { nodeReadiness } from '../../../kernel/plugin-api.ts';
import type { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const READY = { status: 'ready' };
const UNAVAILABLE = { status: 'unavailable' };

const nodes: TestNode[] = [];
const start = async (options: Parameters<typeof startTestNode>[0] = {}): Promise<TestNode> => {
  const node = await startTestNode(options);
  nodes.push(node);
  return node;
};
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

const ready = async (node: TestNode) => {
  const { status, body } = await node.request('GET', '/readyz');
  return { status, body };
};

forEachStore('the readiness of a node', () => {
  it('is readable without a key, with the same answer for everybody', async () => {
    const node = await start();
    expect(await ready(node)).to.deep.equal({ status: 200, body: READY });
    expect((await node.request('HEAD', '/readyz')).status).to.equal(200);
  });

  it('fails while the store does not reply, and reveals no reason', async () => {
    let isDown = false;
    const wrapStore = (store: FactStore): FactStore =>
      new Proxy(store, {
        get(target, name) {
          if (name === 'ping' && isDown) return () => Promise.reject(new Error('the disk /secret/path is gone'));
          const member: unknown = Reflect.get(target, name, target);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    const node = await start({ plugins: ['node-info'], wrapStore });
    isDown = true;
    expect(await ready(node)).to.deep.equal({ status: 503, body: UNAVAILABLE });
    isDown = false;
    await node.clock.advance(1_001);
    expect(await ready(node)).to.deep.equal({ status: 200, body: READY });
  });

  it('fails while a plugin reports that it is not ready, although the node is healthy', async () => {
    let problem: string | undefined = 'the model is being loaded';
    const plugin = defineOwnPlugin({
      name: 'z-probe',
      setup: ({ on }) => on(nodeReadiness, () => problem),
    });
    const node = await start({ plugins: ['node-info'], extra: [plugin] });
    expect(await ready(node)).to.deep.equal({ status: 503, body: UNAVAILABLE });
    expect((await node.request('GET', '/healthz')).status).to.equal(200);
    expect(JSON.stringify(node.logLines)).to.include('the model is being loaded');
    problem = undefined;
    expect(await ready(node)).to.deep.equal({ status: 200, body: READY });
  });

  it('fails as soon as the node begins to stop, while requests are still served for a delay', async () => {
    const node = await start({ env: { SVC_DRAIN_DELAY_S: '3' } });
    const key = await node.addKey();
    let hasStopped = false;
    const stopping = node.stop().then(() => {
      hasStopped = true;
    });
    await comesTrue(async () => (await ready(node)).status === 503);
    await node.clock.advance(2_900);
    expect((await node.request('GET', '/healthz')).body).to.deep.equal({ status: 'ok' });
    expect((await node.request('GET', '/v1/facts', { key })).status).to.equal(200);
    expect(hasStopped).to.equal(false);
    await node.clock.advance(200);
    await comesTrue(async () => {
      await node.clock.advance(10);
      return hasStopped;
    });
    await stopping;
  });
});
