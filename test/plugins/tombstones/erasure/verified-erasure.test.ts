import { expect } from 'chai';
import { StoreVerification } from '../../../../plugins/backup/backup-api.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { ErasureNode } from './erasure-node.ts';

forEachStore('a store whose erased facts were settled by a resolution', (kind) => {
  let on: ErasureNode;
  beforeEach(async () => {
    on = await ErasureNode.start(kind);
  });
  afterEach(() => on.remove());

  it('is verified without a finding, before the erasure and after it', async () => {
    await on.say('one');
    await on.say('another');
    const [conflict] = (await on.get('/v1/conflicts')).conflicts;
    await on.post(`/v1/conflicts/${conflict.conflict_id}/resolve`, { winning_fact_id: conflict.fact_a.id });
    const verify = () => on.node.kernel.get(StoreVerification).run();
    expect((await verify()).findings).to.deep.equal([]);
    await on.erase(await on.tombstone());
    expect((await verify()).findings).to.deep.equal([]);
  });
});
