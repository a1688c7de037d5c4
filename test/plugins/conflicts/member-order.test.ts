import { expect } from 'chai';
import type { ReadableTables } from '../../../kernel/plugin-api.ts';
import { MEMBERS } from '../../../plugins/conflicts/conflict-record.ts';
import { someMembers } from '../../../plugins/conflicts/record-members.ts';
import { FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const RECORD = { tenantId: 'default', id: 'record' };

forEachStore('some members of a conflict', () => {
  let node: TestNode;
  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts'] });
    const stored = ['c', 'a', 'd', 'b', 'weak', 'old'].map((factId) => ({
      tenant_id: RECORD.tenantId,
      conflict_id: RECORD.id,
      fact_id: factId,
      confidence: factId === 'weak' ? 0.1 : 0.9,
      hlc_wall: factId === 'old' ? 1 : 2,
      hlc_ctr: 0,
    }));
    await node.kernel.get(FactStore).table(MEMBERS).insert(stored);
  });
  after(() => node.stop());

  it('are those with the lower ids, where confidence and stamp are equal', async () => {
    const tables = ((name: string) => node.kernel.get(FactStore).table(name)) as unknown as ReadableTables;
    for (const order of ['newest', 'strongest'] as const) {
      for (const limit of [1, 2, 3, 4]) {
        expect(await someMembers(tables, RECORD, order, limit)).to.deep.equal(['a', 'b', 'c', 'd'].slice(0, limit));
      }
    }
    expect(await someMembers(tables, RECORD, 'newest', 5)).to.deep.equal(['a', 'b', 'c', 'd', 'weak']);
    expect(await someMembers(tables, RECORD, 'strongest', 5)).to.deep.equal(['a', 'b', 'c', 'd', 'old']);
  });
});
