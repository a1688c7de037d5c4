import { expect } from 'chai';
import { definePlugin, equals, KERNEL_API, not, readConstrain } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** Hides single facts, which no bundled plugin does within a place. */
const hidingPlugin = definePlugin({
  name: 'hiding',
  version: '1.0.0',
  kernelApi: KERNEL_API,
  summary: 'Hides what one source says',
  setup({ on }) {
    on(readConstrain, ({ view }) => (view === 'visible' ? not(equals('sourceKey', 'agent:hidden')) : undefined));
  },
});

forEachStore('a winning fact that a plugin hides from some callers', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts', hidingPlugin] });
    key = await node.addKey();
  });
  afterEach(() => node.stop());

  const says = async (v: string, source: string, confidence: number): Promise<string> => {
    const value = { type: 'string', v };
    const body = { entity: 'user:alice', relation: 'memory:role', value, source, confidence };
    return (await node.request('POST', '/v1/facts', { key, body })).body.id;
  };

  it('neither hides nor contradicts a visible fact for callers who cannot see it', async () => {
    const shown = await says('a', 'agent:w', 0.5);
    await says('b', 'agent:hidden', 1);
    const { body } = await node.request('GET', '/v1/facts?entity=user:alice', { key });
    expect(body.facts.map(({ id }: { id: string }) => id)).to.deep.equal([shown]);
    expect(body.facts[0].contradicted).to.equal(false);
    const list = await node.request('GET', '/v1/conflicts?status=all', { key });
    expect(list.body.conflicts).to.deep.equal([]);
  });
});
