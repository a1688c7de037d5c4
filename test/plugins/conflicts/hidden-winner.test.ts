import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { equals, not, readConstrain } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** Hides single facts, as a tombstone of a peer does within a place. */
const hidingPlugin = defineOwnPlugin({
  name: 'hiding',
  summary: 'Hides what one source says',
  setup({ on }) {
    on(readConstrain, ({ view }) => (view === 'visible' ? not(equals('sourceKey', 'agent:hidden')) : undefined));
  },
});

forEachStore('a fact of a contested place that a plugin hides from some callers', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts', 'time-travel', hidingPlugin] });
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

  const marks = async (query = ''): Promise<readonly boolean[]> => {
    const target = `/v1/facts?entity=user:alice&include_contradicted=true${query}`;
    const { body } = await node.request('GET', target, { key });
    return body.facts.map(({ contradicted }: { contradicted: boolean }) => contradicted);
  };

  it('leaves a visible winner unmarked whose rivals are all hidden, now and for a past moment', async () => {
    await says('a', 'agent:hidden', 0.5);
    const value = { type: 'string', v: 'b' };
    const body = { entity: 'user:alice', relation: 'memory:role', value, source: 'agent:w' };
    const reply = await node.request('POST', '/v1/facts', { key, body });
    expect(reply.body.contradicted).to.equal(false);
    expect(await marks()).to.deep.equal([false]);
    const then = new Date(node.clock.nowMs() + 1).toISOString();
    await node.clock.advance(1_000);
    expect(await marks(`&as_of=${then}`)).to.deep.equal([false]);
  });

  it('leaves the visible facts marked that contradict each other, now and for a past moment', async () => {
    await says('a', 'agent:w', 0.5);
    await says('b', 'agent:v', 0.5);
    await says('a', 'agent:hidden', 1);
    await says('c', 'agent:hidden', 0.9);
    expect(await marks()).to.deep.equal([true, true]);
    const then = new Date(node.clock.nowMs() + 1).toISOString();
    await node.clock.advance(1_000);
    expect(await marks(`&as_of=${then}`)).to.deep.equal([true, true]);
  });
});
