import { expect } from 'chai';
import { definePlugin, type FactView, KERNEL_API, readAnnotate } from '../../../kernel/plugin-api.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const BODY = {
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v: 'CEO' },
  source: 'agent:x',
  confidence: 1,
  scope: 'company',
};

describe('a handler that marks facts', () => {
  let node: TestNode | undefined;
  afterEach(() => node?.stop());

  const statusWith = async (handle: (views: readonly FactView[]) => readonly FactView[]): Promise<number> => {
    const marker = definePlugin({
      name: 'marker',
      version: '1.0.0',
      kernelApi: KERNEL_API,
      setup: ({ on }) => on(readAnnotate, (views) => (views.length > 1 ? handle(views) : views)),
    });
    node = await startTestNode({ plugins: ['facts', 'keys', marker] });
    const key = await node.addKey();
    for (const entity of ['user:alice', 'user:bob']) {
      expect((await node.request('POST', '/v1/facts', { key, body: { ...BODY, entity } })).status).to.equal(201);
    }
    return (await node.request('GET', '/v1/facts', { key })).status;
  };

  it('may return the views as they are', async () => {
    expect(await statusWith((views) => views.map((view) => ({ ...view })))).to.equal(200);
  });

  it('may neither leave facts out, nor add any, nor change their order', async () => {
    expect(await statusWith(() => [])).to.equal(500);
    await node?.stop();
    expect(await statusWith((views) => [...views, ...views])).to.equal(500);
    await node?.stop();
    expect(await statusWith((views) => views.toReversed())).to.equal(500);
  });
});
