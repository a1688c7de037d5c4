import { expect } from 'chai';
import { DocumentTable } from '../../../../plugins/search/index/document-table.ts';
import { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import { findWords } from '../../../contract/search-index/ask-index.ts';
import { sampleFact } from '../../../kit/fact-samples.ts';
import { SAMPLE_VIEW } from '../sample-view.ts';
import { TEST_SEED } from './test-seed.ts';

const FACTS = 500;
const CONTESTED = 2_000;
/** Comparisons of a hash for each fact, for all conditions of a view. */
const MOST_COMPARISONS = 8;

describe('the cost of contradicted facts in a search (I21)', () => {
  const { has } = DocumentTable.prototype;
  after(() => {
    DocumentTable.prototype.has = has;
  });

  it('does not grow with the number of contradicted triples of one entity', async () => {
    const index = MemoryIndex.create(TEST_SEED);
    for (let n = 0; n < FACTS; n += 1) {
      index.add(
        sampleFact(n, {
          value: { type: 'text', v: `the common word ${n}`, interpretAs: 'content' },
          entityKey: 'user:a',
          relationKey: `memory:r${n}`,
          confidence: n === 0 ? 0.3 : 1,
        }),
      );
    }
    const { scope, gardenId } = sampleFact(0);
    const contested = Array.from({ length: CONTESTED }, (_, n) => ({
      scope,
      gardenId,
      entityKey: 'user:a',
      relationKey: `memory:r${n + FACTS / 2}`,
    }));
    let comparisons = 0;
    DocumentTable.prototype.has = function (...given) {
      comparisons += 1;
      return has.apply(this, given);
    };
    const view = { ...SAMPLE_VIEW, minConfidence: 0.5, contested };
    const hits = await findWords(index, 'common', view, FACTS);
    expect(hits).to.have.length(FACTS / 2 - 1);
    expect(comparisons).to.be.at.most(MOST_COMPARISONS * FACTS);
  });
});
