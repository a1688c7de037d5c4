import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { NodeSelf } from '../../../kernel/plugin-api.ts';
import { EdgeStore } from '../../../plugins/graph/edge-store.ts';
import { graphMigrations } from '../../../plugins/graph/graph-migrations.ts';
import { FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { refDraft, WRITER } from './ref-drafts.ts';

forEachStore('edges that are rebuilt while facts are erased', () => {
  let node: TestNode;
  let edges: EdgeStore;
  /** Creates only the tables of the graph. */
  const tablesOfGraph = defineOwnPlugin({
    name: 'graph',
    requires: { self: NodeSelf },
    migrations: graphMigrations,
    setup({ tables, use }) {
      edges = new EdgeStore(tables, use.self.names);
    },
  });
  beforeEach(async () => {
    node = await startTestNode({ plugins: [tablesOfGraph] });
  });
  afterEach(() => node.stop());

  it('leave out facts that were erased after the rebuild read them', async () => {
    const drafts = [refDraft('user:a', 'user:b'), refDraft('user:c', 'user:d')];
    const stored = await node.facts.appendAll(drafts, WRITER);
    const facts = stored.flatMap((verdict) => (verdict.kind === 'stored' ? [verdict.view.fact] : []));
    const store = node.kernel.get(FactStore);
    const erased = { id: String(facts[0]?.id), commitment: Buffer.alloc(32, 1) };
    await store.write('default', (transaction) => transaction.erase([erased]));
    await edges.renew('default', facts);
    const rows = (await store.table('graph_edges').select('fact_id')) as readonly { readonly fact_id: string }[];
    expect(rows.map((row) => row.fact_id)).to.deep.equal([facts[1]?.id]);
  });
});
