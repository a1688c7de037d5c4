import { expect } from 'chai';
import { GROUP_MS } from '../../../plugins/audit/entry-buffer.ts';
import { ENTRIES_TABLE } from '../../../plugins/audit/entry-rows.ts';
import { READS_TABLE } from '../../../plugins/audit/read-counts.ts';
import { createLostCommits, type LostCommits } from '../../fakes/lost-commits.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const PLUGINS = ['keys', 'facts', 'conflicts', 'gardens', 'recall', 'search', 'audit'] as const;
const RECALLS = 3;

forEachStore('an audit whose commit loses its confirmation', () => {
  let commits: LostCommits;
  let node: TestNode;
  let auditor: string;
  beforeEach(async () => {
    commits = createLostCommits();
    node = await startTestNode({ plugins: PLUGINS, wrapStore: (store) => commits.watch(store) });
    auditor = await node.addKey({ entityUri: 'agent:auditor', permissions: ['read', 'audit.read'] });
  });
  afterEach(() => node.stop());

  const ask = async (method: string, path: string, body?: object) => {
    const reply = await node.request(method, path, { key: auditor, ...(body === undefined ? {} : { body }) });
    expect(reply.status, reply.text).to.equal(200);
    return reply.body;
  };
  const reads = async (): Promise<number[]> =>
    (await ask('GET', '/v1/audit/use')).days.map((day: { reads: number }) => day.reads).filter((n: number) => n > 0);

  it('has one entry of each recall', async () => {
    for (let n = 0; n < RECALLS; n += 1) {
      commits.loseNext(ENTRIES_TABLE);
      await ask('POST', '/v1/recall', { query: `oak ${n}`, token_budget: 500 });
      await comesTrue(async () => {
        await node.clock.advance(GROUP_MS);
        return commits.isLost;
      });
      await ask('GET', '/v1/auth/audit');
    }
    const { entries } = await ask('GET', '/v1/auth/audit?event_type=fact_read');
    const recalled = entries.map(({ detail }: { detail: { recall_id: string } }) => detail.recall_id);
    expect(recalled).to.have.length(RECALLS);
    expect(new Set(recalled)).to.have.property('size', RECALLS);
    expect(await ask('GET', '/v1/audit/verify')).to.include({ ok: true });
  });

  it('counts no read twice', async () => {
    await ask('GET', '/v1/facts');
    commits.loseNext(READS_TABLE);
    await reads();
    expect(commits.isLost).to.equal(true);
    expect(await reads()).to.deep.equal([1]);
  });
});
