import { expect } from 'chai';
import { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import type { StoredFact } from '../../../../ports/ports.ts';
import { findBeside, findNewest, findWords } from '../../../contract/search-index/ask-index.ts';
import { idsOf, sampleCover, sampleFact, sampleId, stamp } from '../../../kit/fact-samples.ts';
import { SAMPLE_VIEW } from '../sample-view.ts';
import { TEST_SEED } from './test-seed.ts';

const said = (n: number, text: string, members: Partial<StoredFact> = {}): StoredFact =>
  sampleFact(n, { value: { type: 'text', v: text, interpretAs: 'content' }, ...members });

describe('a hostile search', () => {
  const index = MemoryIndex.create(TEST_SEED);
  before(() => {
    index.add(said(1, 'AND OR NOT "quoted" river*'));
    index.add(said(2, '__proto__ constructor toString'));
    index.add(said(3, 'x'.repeat(100_000)));
  });

  for (const query of [
    '',
    '   ',
    '"',
    '" OR 1=1 --',
    'NEAR(',
    '*:*',
    '(((',
    '\\',
    '😀',
    '\u0000',
    '\ud800',
    '?',
    'the of',
    'NaN',
  ]) {
    it(`finds nothing, and does not fail, for ${JSON.stringify(query)}`, async () => {
      expect(await findWords(index, query, SAMPLE_VIEW, 10)).to.deep.equal([]);
    });
  }

  it('finds words that are also operators or names of object members', async () => {
    expect(idsOf(await findWords(index, 'river*', SAMPLE_VIEW, 10))).to.deep.equal([sampleId(1)]);
    expect(idsOf(await findWords(index, 'constructor __proto__', SAMPLE_VIEW, 10))).to.deep.equal([sampleId(2)]);
  });

  it('finds the rare words of a query of a megabyte', async () => {
    const query = `${'river '.repeat(1_000)}${Array.from({ length: 4_000 }, (_, n) => `w${n}`).join(' ')} ${'é'.repeat(2 ** 20)}`;
    expect(idsOf(await findWords(index, query, SAMPLE_VIEW, 10))).to.deep.equal([sampleId(1)]);
  });

  it('uses only the rarest of very many words', async () => {
    const large = MemoryIndex.create(TEST_SEED);
    const words = Array.from({ length: 100 }, (_, n) => `w${n}`);
    // The n-th fact has the words from the n-th on: the last word is in all, the first in one.
    words.forEach((_, n) => void large.add(said(n + 1, words.slice(n).join(' '))));
    const hits = await findWords(large, words.join(' '), SAMPLE_VIEW, 1_000);
    // The n-th word is in n facts, so the 64 rarest are the first 64 words.
    expect(hits).to.have.length(64);
  });

  it('finds nothing in an unknown tenant, scope or garden', async () => {
    for (const view of [
      { tenantId: 'none' },
      { scopes: [] },
      { onlyGarden: 'none' },
      { gardens: ['none'], onlyGarden: 'none' },
    ]) {
      expect(await findWords(index, 'river', { ...SAMPLE_VIEW, ...view }, 10)).to.deep.equal([]);
      expect(await findNewest(index, { ...SAMPLE_VIEW, ...view }, 10)).to.deep.equal([]);
    }
  });

  it('finds nothing for a limit of zero', async () => {
    expect(await findWords(index, 'river', SAMPLE_VIEW, 0)).to.deep.equal([]);
    expect(await findBeside(index, [{ id: sampleId(1), score: 1 }], SAMPLE_VIEW, 0)).to.deep.equal([]);
  });
});

describe('retractions and resolutions of one triple in the index', () => {
  it('end older facts even if those were skipped when the index read them', async () => {
    const index = MemoryIndex.create(TEST_SEED);
    const at = [50, 10, 40, 20, 30].map((hlc, n) => said(n + 1, 'river', { hlc: stamp(hlc), feed: stamp(n + 1) }));
    for (const fact of at) index.add(fact);
    for (const [hlc, left] of [
      [15, 4],
      [25, 3],
      [35, 2],
      [45, 1],
      [55, 0],
    ] as const) {
      index.cover({ ...sampleCover(sampleId(90), stamp(hlc)), since: stamp(9_999) });
      expect(await findNewest(index, SAMPLE_VIEW, 10)).to.have.length(left);
    }
  });
});
