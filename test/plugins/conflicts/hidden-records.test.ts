import { expect } from 'chai';
import { type FactDraft, NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const HIDDEN = 300;

forEachStore('a list of one contradiction behind many that a tombstone hides', () => {
  const counter = createStoreCounter();
  let node: TestNode;
  let reader: string;
  before(async () => {
    node = await startTestNode({
      plugins: ['keys', 'facts', 'conflicts', 'tombstones', 'node-info'],
      settings: { tombstones: { enabled: true } },
      wrapStore: (store) => counter.count(store),
    });
    reader = await node.addKey({ entityUri: 'agent:reader', permissions: ['read'] });
  });
  after(() => node.stop());

  const contradict = async (entity: string, count: number): Promise<void> => {
    const drafts = Array.from({ length: count }, (_, at) => at).flatMap((at) =>
      ['one', 'other'].map(
        (v): FactDraft => ({
          entity,
          relation: `memory:note-${at}`,
          value: { type: 'string', v, interpretAs: 'content' },
          source: 'agent:w',
          scope: 'company',
          confidence: 1,
        }),
      ),
    );
    await node.facts.appendAll(drafts, nodePrincipal(node.kernel.get(NodeSelf).names));
  };
  const statements = async (query: string, shown: number): Promise<number> => {
    const { statements: count } = await counter.during(async () => {
      const reply = await node.request('GET', `/v1/conflicts?${query}`, { key: reader });
      expect(reply.body.conflicts, reply.text).to.have.lengthOf(shown);
    });
    return count;
  };

  it('costs no statements for each hidden one (I21)', async () => {
    await contradict('user:open', 1);
    await node.clock.advance(1_000);
    await contradict('user:gone', HIDDEN);
    const admin = await node.addKey({ entityUri: 'agent:admin', permissions: ['admin'] });
    const marked = await node.request('POST', '/v1/tombstones', { key: admin, body: { entity_uri: 'user:gone' } });
    expect(marked.status, marked.text).to.equal(201);
    for (const query of ['limit=1', 'limit=1&status=all']) {
      expect(await statements(query, 1), query).to.be.below(HIDDEN / 3);
    }
  });
});
