import { expect } from 'chai';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import type { PluginTables, PluginTransaction } from '../../../kernel/plugin-api.ts';
import { EdgeStore } from '../../../plugins/graph/edge-store.ts';
import { graphPlugin } from '../../../plugins/graph/graph-plugin.ts';
import { ExplainedStatements } from '../../kit/explained-statements.ts';
import { sampleFact } from '../../kit/fact-samples.ts';

const FACTS = [1, 2].map((n) => sampleFact(n, { value: { type: 'ref', v: `user:${n}`, interpretAs: 'content' } }));

describe('the query plan of SQLite for single edges (I21)', () => {
  let statements: ExplainedStatements;
  let edges: EdgeStore;
  const transaction = { outline: async () => [] } as unknown as PluginTransaction;
  before(async () => {
    statements = await ExplainedStatements.of(graphPlugin);
    const own = Object.assign(statements.tables, { insertRows: async () => {} });
    const hide = (_tenant: string, _table: string, _column: string, text: string) => text;
    const writeUnlessErased = (_: string, work: (...given: unknown[]) => unknown) => work(own, transaction);
    const tables = { in: () => own, hide, writeUnlessErased } as unknown as PluginTables;
    edges = new EdgeStore(tables, createServiceNames('svc'));
  });
  after(() => statements.stop());

  const cases: Readonly<Record<string, () => Promise<unknown>>> = {
    'marks edges as over': () => edges.markOver('default', ['a', 'b']),
    'compares and renews edges': () => edges.renew('default', FACTS),
    'deletes edges of erased facts': () => edges.erase({ tenantId: 'default', facts: FACTS, transaction }),
  };
  for (const [title, work] of Object.entries(cases)) {
    it(`${title} by their facts, without the other edges of the subject`, async () => {
      await work();
      const plans = statements.plans();
      expect(plans).not.to.deep.equal([]);
      for (const plan of plans) expect(plan).to.include('graph_edges_by_fact (tenant_id=? AND fact_id=?)');
    });
  }
});
