import { expect } from 'chai';
import { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import type { Hit, SearchView } from '../../../../plugins/search/search-api.ts';
import type { StoredFact } from '../../../../ports/ports.ts';
import { findWords } from '../../../contract/search-index/ask-index.ts';
import { SAMPLE_MS, sampleFact } from '../../../kit/fact-samples.ts';
import { TEST_SEED } from '../index/test-seed.ts';
import { SAMPLES } from './made-up-texts.ts';

const VIEW: SearchView = {
  tenantId: 'default',
  scopes: ['company'],
  gardens: [],
  nowMs: SAMPLE_MS,
  minConfidence: 0,
};

const said = (n: number, v: string, members: Partial<StoredFact> = {}): StoredFact =>
  sampleFact(n, { value: { type: 'text', v, interpretAs: 'content' }, ...members });

const indexOf = (facts: readonly StoredFact[]): MemoryIndex => {
  const index = MemoryIndex.create(TEST_SEED);
  for (const fact of facts) index.add(fact);
  return index;
};

/** One store of all texts, so that every language must be told from every other one. */
const ALL = SAMPLES.flatMap(({ language, texts }) => texts.map((text, at) => ({ language, text, at })));
const FACTS = ALL.map(({ text }, n) => said(n, text));

describe('words of many languages in one store, in a search', () => {
  const everything = indexOf(FACTS);
  const best = async (index: MemoryIndex, question: string): Promise<string | undefined> => {
    const [hit] = await findWords(index, question, VIEW, 1);
    return FACTS.find(({ id }) => id === hit?.id)?.value.v as string | undefined;
  };

  for (const { language, texts, questions } of SAMPLES) {
    describe(`in ${language}`, () => {
      for (const [question, answer] of questions) {
        it(`find other forms of the words in “${question}”`, async () =>
          expect(await best(everything, question)).to.equal(texts[answer]));
      }
    });
  }
});

describe('words that a hyphen joins, in a search', () => {
  const english = said(1, 'The team writes an email about the co-workers when the day is over.');
  const german = said(2, 'Wir haben uns die Emails und die U-Bahn für diesen Tag nicht noch einmal angesehen.');
  const other = said(3, 'The boat is on the river, and the rain has gone away from the town.');
  const index = indexOf([english, german, other]);
  const found = async (question: string) => (await findWords(index, question, VIEW, 5)).map(({ id }) => id);

  for (const [question, facts] of [
    ['e-mail', [english, german]],
    ['coworkers', [english]],
    ['Ubahn', [german]],
    ['E-Mail', [english, german]],
    ['up-river', [other]],
  ] as const) {
    it(`are found by ${question}`, async () =>
      expect(await found(question)).to.have.members(facts.map(({ id }) => id)));
  }
});

describe('texts of another language in the same store', () => {
  const english = Array.from({ length: 20 }, (_, n) =>
    said(100 + n, `The ${n % 2 === 0 ? 'hat' : 'gift'} from Berlin was in the ${n % 3 === 0 ? 'art' : 'pain'} class.`),
  );
  const questions = ['What was the gift?', 'Berlin', 'the art of hats', 'pain', 'was war die Kunst'];
  const lexical = (index: MemoryIndex, question: string): Promise<readonly Hit[]> =>
    findWords(index, question, VIEW, 50);

  it('change no score for callers who cannot see them', async () => {
    const hidden = FACTS.map((fact, n) => ({ ...fact, ...(n % 2 ? { gardenId: 'hidden' } : { tenantId: 'another' }) }));
    const plain = indexOf(english);
    const haunted = indexOf([...hidden, ...english]);
    for (const question of questions) {
      expect(await lexical(haunted, question)).to.deep.equal(await lexical(plain, question));
    }
  });

  it('do not hide English facts that share words with them', async () => {
    const german = said(500, 'Sie ist mit dem Zug nach Berlin gefahren, und der Hut war nicht dabei.');
    const hits = await lexical(indexOf([...english, german]), 'Berlin');
    expect(hits).to.have.length(21);
    const other = hits.find(({ id }) => id === german.id) as Hit;
    const [first] = hits as [Hit];
    // A name that everybody uses is not rare just because few German texts contain it.
    expect(other.score).to.be.within(first.score / 2, first.score * 2);
  });
});
