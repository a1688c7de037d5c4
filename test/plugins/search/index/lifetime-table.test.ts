import { expect } from 'chai';
import { LifetimeTable } from '../../../../plugins/search/index/lifetime-table.ts';
import { sampleId, stamp } from '../../../kit/fact-samples.ts';

describe('the times-to-live of facts in the search index', () => {
  it('are found for any past moment in a few steps after thousands were replaced', () => {
    const table = new LifetimeTable(5);
    const id = sampleId(1);
    const count = 5_000;
    for (let n = 1; n <= count; n += 1) {
      table.set(0, id, { expiresMs: n, hlc: stamp(2 * n), since: stamp(2 * n) });
      if (n > 1) table.keepFormer(0, id, n - 1, stamp(2 * n - 2));
    }
    let reads = 0;
    const wordsOf = table.formers.wordsOf.bind(table.formers);
    table.formers.wordsOf = (row) => {
      reads += 1;
      return wordsOf(row);
    };
    let most = 0;
    for (let moment = 0; moment <= 2 * count + 1; moment += 1) {
      reads = 0;
      const expected = moment < 2 ? Number.POSITIVE_INFINITY : Math.floor(moment / 2);
      expect(table.expiryAt(0, id, stamp(moment))).to.equal(expected);
      most = Math.max(most, reads);
    }
    expect(most).to.be.below(150);
  });
});
