import { expect } from 'chai';
import { createPluginTables } from '../../../kernel/plugins/plugin-tables.ts';
import { AccessCounts } from '../../../plugins/recall/access-counts.ts';
import { ACCESS_TABLE } from '../../../plugins/recall/recall-migrations.ts';
import { FactStore, isIn } from '../../../ports/ports.ts';
import { createLostCommits } from '../../fakes/lost-commits.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

forEachStore('the counts of recalls whose commit loses its confirmation', () => {
  let node: TestNode;
  beforeEach(async () => {
    node = await startTestNode({ plugins: ['keys', 'facts', 'recall', 'search', 'conflicts'] });
  });
  afterEach(() => node.stop());

  it('are not added twice', async () => {
    const key = await node.addKey();
    const value = { type: 'text', v: 'the ferry leaves at noon' };
    const body = { entity: 'ferry:1', relation: 'memory:note', source: 'agent:s', value };
    const { id } = (await node.request('POST', '/v1/facts', { key, body })).body;
    const store = node.kernel.get(FactStore);
    const commits = createLostCommits();
    const counts = new AccessCounts(createPluginTables(commits.watch(store), 'recall'));
    const facts = await store.read((snapshot) => snapshot.find({ filter: isIn('id', [id]), order: 'feed', limit: 1 }));
    counts.note(facts.map((fact) => ({ fact })));
    commits.loseNext(ACCESS_TABLE);
    expect(await rejection(counts.flush())).to.include({ code: 'commit_unknown' });
    await counts.flush();
    const rows: { count: number | string }[] = await store.table(ACCESS_TABLE).select('count');
    expect(rows.map(({ count }) => Number(count))).to.deep.equal([1]);
  });
});
