import { expect } from 'chai';
import { createCodeSpace } from '../../../../plugins/search/codes/code-space.ts';
import { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import type { SearchAnswer } from '../../../../plugins/search/search-api.ts';
import type { StoredFact } from '../../../../ports/ports.ts';
import { askFeedback } from '../../../contract/search-index/ask-index.ts';
import { DIMENSIONS, vectorOf } from '../../../contract/search-index/pointing-vectors.ts';
import { SAMPLE_MS, sampleFact } from '../../../kit/fact-samples.ts';
import { TEST_SEED } from '../index/test-seed.ts';
import { SAMPLE_VIEW } from '../sample-view.ts';

const QUERY = vectorOf(1);
/** The vectors of the three texts. */
const TEXTS = [vectorOf(0.4, 0.9), vectorOf(0.4, 0.85, 0.1), vectorOf(0.5, 0.8, 0, 0.1)];
const ALIKE = 4;
const UNLIKE = 5;

/** An index of three texts, a similar one, a different one, and further facts. Facts are named by numbers. */
const indexOf = (others: Readonly<Record<number, Partial<StoredFact>>> = {}, text: Partial<StoredFact> = {}) => {
  const codes = createCodeSpace({ dimensions: DIMENSIONS });
  const index = MemoryIndex.create(TEST_SEED);
  const layer = index.createVectors(codes);
  const add = (n: number, vector: Float32Array, members: Partial<StoredFact> = {}): void => {
    const fact = sampleFact(n, members);
    index.add(fact);
    const { code, scale } = codes.quantise(vector);
    layer.set(fact, code, scale);
  };
  TEXTS.forEach((vector, at) => {
    add(at + 1, vector, text);
  });
  add(ALIKE, vectorOf(0.2, 1));
  add(UNLIKE, vectorOf(0.2, 0, 0, 0, 1));
  for (const [n, members] of Object.entries(others)) add(Number(n), vectorOf(0.3, 0.1, 0.8), members);
  index.serveVectors({ embedder: 'scripted', layer });
  return index;
};

const idOf = (n: number): string => sampleFact(n).id;
const texts = [1, 2, 3].map(idOf);
const all = [1, 2, 3, ALIKE, UNLIKE].map(idOf);

const feedbackOf = (index: MemoryIndex, from: readonly string[] = texts): Promise<SearchAnswer> =>
  askFeedback(index, QUERY, from, { ids: all }, SAMPLE_VIEW);

const EMPTY: SearchAnswer = { hits: [] };

/** Returns the similarities of a fact to the query and to the moved query. */
const similarTo = ({ hits, before }: SearchAnswer, n: number) => {
  const at = hits.findIndex(({ id }) => id === idOf(n));
  return { before: before?.[at], after: hits[at]?.score };
};

describe('feedback that moves a query vector towards found texts', () => {
  it('raises the similarity only of facts like those texts', async () => {
    const feedback = await feedbackOf(indexOf());
    const [alike, unlike] = [similarTo(feedback, ALIKE), similarTo(feedback, UNLIKE)];
    expect(alike?.before).to.be.closeTo(unlike?.before as number, 0.02);
    expect(alike?.after).to.be.above(0.6);
    expect(unlike?.after).to.be.below(0.3);
  });

  it('compares each of those texts only with the other ones', async () => {
    const strange = vectorOf(0.4, 0, 0, 0, 0, 0.9);
    const index = indexOf();
    const feedback = await feedbackOf(index);
    for (const n of [1, 2, 3]) expect(similarTo(feedback, n)?.after).to.be.above(0.8);
    const codes = createCodeSpace({ dimensions: DIMENSIONS });
    const odd = MemoryIndex.create(TEST_SEED);
    const layer = odd.createVectors(codes);
    for (const [at, vector] of [TEXTS[0], TEXTS[1], strange].entries()) {
      const fact = sampleFact(at + 1);
      odd.add(fact);
      const { code, scale } = codes.quantise(vector as Float32Array);
      layer.set(fact, code, scale);
    }
    odd.serveVectors({ embedder: 'scripted', layer });
    const told = await feedbackOf(odd);
    expect(similarTo(told, 3)?.after, 'what is unlike the others').to.be.below(0.5);
    expect(similarTo(told, 1)?.after).to.be.above(0.6);
  });

  it('uses only texts without neighbours in their session', async () => {
    const session = { sessionId: 'talk/1' };
    expect(await feedbackOf(indexOf({}, session))).to.deep.equal(EMPTY);
    expect(await feedbackOf(indexOf({ 6: session }))).not.to.deep.equal(EMPTY);
  });

  it('needs at least two texts, all with vectors', async () => {
    expect(await feedbackOf(indexOf(), texts.slice(0, 1))).to.deep.equal(EMPTY);
    expect(await feedbackOf(indexOf(), [...texts, idOf(99)])).to.deep.equal(EMPTY);
    expect(await feedbackOf(indexOf(), texts.slice(0, 2))).not.to.deep.equal(EMPTY);
  });

  it('does not depend on facts outside the view of the caller', async () => {
    const expected = await feedbackOf(indexOf());
    const hidden = { 6: { scope: 'public' as const }, 7: { confidence: 0.05 }, 8: { validUntilMs: SAMPLE_MS - 1 } };
    expect(await feedbackOf(indexOf(hidden))).to.deep.equal(expected);
  });

  it('may start from facts that an earlier step of the plan found', async () => {
    const index = indexOf();
    const words = { find: 'words', query: 'alice', limit: 10 } as const;
    const from = { foundBy: [0], first: 3 };
    const feedback = { find: 'feedback', vector: QUERY, from, of: { foundBy: [0] } } as const;
    const [found = EMPTY, told] = await index.ask([words, feedback], SAMPLE_VIEW);
    const ids = found.hits.map(({ id }) => id);
    expect(told?.hits).to.have.length(5);
    expect(told).to.deep.equal(await askFeedback(index, QUERY, ids.slice(0, 3), { ids }, SAMPLE_VIEW));
  });
});
