import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { type FactView, NodeSelf, nodePrincipal, readAnnotate } from '../../../kernel/plugin-api.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const BODY = {
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v: 'CEO' },
  source: 'agent:x',
  confidence: 1,
  scope: 'company',
};

describe('a handler of read:annotate', () => {
  let node: TestNode | undefined;
  afterEach(() => node?.stop());

  const statusWith = async (handle: (views: readonly FactView[]) => readonly FactView[]): Promise<number> => {
    const marker = defineOwnPlugin({
      name: 'marker',
      setup: ({ on }) => on(readAnnotate, (views) => (views.length > 1 ? handle(views) : views)),
    });
    node = await startTestNode({ plugins: ['facts', 'keys', marker] });
    const key = await node.addKey();
    for (const entity of ['user:alice', 'user:bob']) {
      expect((await node.request('POST', '/v1/facts', { key, body: { ...BODY, entity } })).status).to.equal(201);
    }
    return (await node.request('GET', '/v1/facts', { key })).status;
  };

  it('may return the facts unchanged', async () => {
    expect(await statusWith((views) => views.map((view) => ({ ...view })))).to.equal(200);
  });

  it('is not called for facts that were left out', async () => {
    let asked = 0;
    await statusWith((views) => {
      asked += 1;
      return views;
    });
    const started = node as TestNode;
    const before = asked;
    const caller = nodePrincipal(started.kernel.get(NodeSelf).names);
    const value = { type: 'number', v: 1, interpretAs: 'content' } as const;
    const drafts = ['a', 'b'].map((entity) => ({
      ...BODY,
      scope: 'company' as const,
      value,
      entity: `user:${entity}`,
    }));
    const quiet = await started.facts.appendAll(drafts, caller, { unmarked: true });
    expect(quiet.map(({ kind }) => kind)).to.deep.equal(['stored', 'stored']);
    expect(asked).to.equal(before);
    await started.facts.appendAll(drafts, caller);
    expect(asked).to.equal(before + 1);
  });

  it('may not remove, add or reorder facts', async () => {
    expect(await statusWith(() => [])).to.equal(500);
    await node?.stop();
    expect(await statusWith((views) => [...views, ...views])).to.equal(500);
    await node?.stop();
    expect(await statusWith((views) => views.toReversed())).to.equal(500);
  });
});
