import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryIndex } from '../../../plugins/search/index/memory-index.ts';
import { drawHashSeed, type HashSeed, TextHasher } from '../../../plugins/search/index/text-hash.ts';
import type { SearchView } from '../../../plugins/search/search-api.ts';
import { bytesIn } from '../../../plugins/search/snapshot/byte-source.ts';
import { MOST_TERMS_OF_FACT, readFactTerms } from '../../../plugins/search/words/fact-terms.ts';
import { TermCounts } from '../../../plugins/search/words/term-counts.ts';
import { TermReader } from '../../../plugins/search/words/term-reader.ts';
import { findWords } from '../../contract/search-index/ask-index.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { idsOf, SAMPLE_MS, sampleFact, sampleId } from '../../kit/fact-samples.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { snapshotBytes } from '../../plugins/search/snapshot/snapshot-bytes.ts';

const seedOf = (n: number): HashSeed => drawHashSeed(createSeededRandom(n));

/** Returns the numbers of skipped slots and of distinct terms for a text under a seed. */
const workOn = (text: string, seed: HashSeed): { readonly passed: number; readonly distinct: number } => {
  const counts = new TermCounts();
  new TermReader(new TextHasher(seed)).read(text, counts);
  return counts;
};

/** Returns words whose hashes under a seed all end in the same bits. */
const meetingWords = (count: number, bits: number, seed: HashSeed): string[] => {
  const reader = new TermReader(new TextHasher(seed));
  const words: string[] = [];
  const counts = new TermCounts();
  for (let n = 0; words.length < count; n += 1) {
    const word = `w${n.toString(36)}`;
    counts.clear();
    reader.read(word, counts);
    if (((counts.lo[0] as number) & (2 ** bits - 1)) === 0) words.push(word);
  }
  return words;
};

describe('A writer tries to store words that all collide in one hash table (I21)', () => {
  it('which requires knowing the seed, and each index generates its own', () => {
    const known = seedOf(1);
    const words = meetingWords(600, 11, known).join(' ');
    expect(workOn(words, known).passed).to.be.above(600 * 100);
    for (let n = 2; n < 12; n += 1) {
      const { passed, distinct } = workOn(words, seedOf(n));
      expect(passed).to.be.below(distinct * 3);
    }
  });

  it('and indexing a text takes linear time, for any content', () =>
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '0', "'", 'é', '漢', '\u0301', ' '), maxLength: 12 }), {
          maxLength: 400,
        }),
        fc.integer({ min: 1, max: 1_000 }),
        (words, seed) => {
          const text = words.join(' ');
          expect(workOn(text, seedOf(seed)).passed).to.be.at.most(text.length * 4 + 64);
        },
      ),
      { numRuns: RUNS },
    ));

  it('and earlier facts are still found after a restart, because a snapshot keeps its seed', async () => {
    const view: SearchView = {
      tenantId: 'default',
      scopes: ['company'],
      gardens: [],
      nowMs: SAMPLE_MS,
      minConfidence: 0,
    };
    const index = MemoryIndex.create(seedOf(3));
    index.add(sampleFact(1, { value: { type: 'text', v: 'the harbour', interpretAs: 'content' } }));
    const { index: restored } = await MemoryIndex.restore(bytesIn(snapshotBytes(index, { wallMs: 1, counter: 0 })));
    restored.add(sampleFact(2, { value: { type: 'text', v: 'a harbour too', interpretAs: 'content' } }));
    expect(idsOf(await findWords(restored, 'harbour', view, 10)).sort()).to.deep.equal(
      [sampleId(1), sampleId(2)].sort(),
    );
  });
});

describe('A writer stores a fact of very many distinct words (I21)', () => {
  const termsOf = (v: string): TermCounts => {
    const counts = new TermCounts();
    const value = { type: 'text', v, interpretAs: 'content' } as const;
    const fact = { entity: 'user:a', relation: 'memory:note', value, timestamp: '2026-03-02T09:15:04.120Z' };
    readFactTerms(fact, new TermReader(new TextHasher(seedOf(1))), counts);
    return counts;
  };

  it('and 16,384 of its terms are indexed, those of its names and its date among them', () => {
    const words = Array.from({ length: 3 * MOST_TERMS_OF_FACT }, (_, n) => `w${n}`).join(' ');
    expect(termsOf(words).distinct).to.equal(MOST_TERMS_OF_FACT);
    expect(termsOf('one two').distinct).to.equal('user a memory note 2026 march 2 one two'.split(' ').length);
  });

  it('and no more than 16,384 terms are indexed if its script has no spaces', () => {
    const characters = Array.from({ length: 20_000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('');
    expect(termsOf(characters).distinct).to.equal(MOST_TERMS_OF_FACT);
  });
});

describe('A writer stores a number with two hundred thousand zeros (I21)', () => {
  it('which is indexed in one form only, and is found by it', async () => {
    const view: SearchView = {
      tenantId: 'default',
      scopes: ['company'],
      gardens: [],
      nowMs: SAMPLE_MS,
      minConfidence: 0,
    };
    const index = MemoryIndex.create(seedOf(1));
    const v = `${'0'.repeat(200_000)}x ${'0'.repeat(200_000)} harbour`;
    index.add(sampleFact(1, { value: { type: 'text', v, interpretAs: 'content' } }));
    expect(await findWords(index, '0', view, 10)).to.have.length(1);
  });
});
