import { expect } from 'chai';
import { FactStore } from '../../../../ports/ports.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { ErasureNode } from './erasure-node.ts';

const YEAR_MS = 365 * 86_400_000;

forEachStore('an erasure whose process was killed while the clock was a year ahead', (kind) => {
  it('is completed soon after the clock is right again', async () => {
    const at = await ErasureNode.start(kind);
    try {
      await at.say('first');
      await at.erase(await at.tombstone());
      const rows = () => at.node.kernel.get(FactStore).table('tombstones_erasures');
      // As a kill leaves it after the last facts and before the journal.
      await rows().update({ state: 'scrubbing', touched_ms: at.node.clock.nowMs() + YEAR_MS });
      await comesTrue(async () => {
        await at.node.clock.advance(30_000);
        return (await rows().where({ state: 'done' })).length === 1;
      });
      expect(await rows().where({ state: 'scrubbing' })).to.deep.equal([]);
    } finally {
      await at.remove();
    }
  });
});
