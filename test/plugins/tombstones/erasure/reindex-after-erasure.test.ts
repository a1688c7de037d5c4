import { expect } from 'chai';
import { FactStore } from '../../../../ports/ports.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { ErasureNode } from './erasure-node.ts';
import { findTraces } from './find-traces.ts';

const CANARY = 'user:zebrafish-quartz-7f3a';

forEachStore('indexes rebuilt after an erasure', (kind) => {
  let at: ErasureNode;
  beforeEach(async () => {
    at = await ErasureNode.start(kind);
  });
  afterEach(() => at.remove());

  it('contain no trace of an erased fact that the same process had stored', async () => {
    await at.say('', { value: { type: 'ref', v: CANARY } });
    await at.say('', { entity: 'user:other', value: { type: 'ref', v: 'user:somebody' } });
    await at.erase(await at.tombstone());
    const { job_id: job } = await at.post('/v1/admin/reindex', { what: ['edges', 'words'] }, 202);
    await comesTrue(async () => {
      await at.node.clock.advance(1_000);
      return (await at.get(`/v1/jobs/${job}`)).status === 'done';
    });
    expect(await findTraces(at.node.kernel.get(FactStore), undefined, [CANARY])).to.deep.equal([]);
  });
});
