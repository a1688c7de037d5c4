import { expect } from 'chai';
import { createCodeSpace } from '../../../../plugins/search/codes/code-space.ts';
import { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import type { Spread } from '../../../../plugins/search/search-api.ts';
import type { StoredFact } from '../../../../ports/ports.ts';
import { askSpread } from '../../../contract/search-index/ask-index.ts';
import { SAMPLE_MS, sampleFact } from '../../../kit/fact-samples.ts';
import { TEST_SEED } from '../index/test-seed.ts';
import { SAMPLE_VIEW } from '../sample-view.ts';

const DIMENSIONS = 16;
const FACTS = 3_000;

/** Returns a unit vector with this cosine similarity to the first axis. */
const at = (similarity: number): Float32Array => {
  const vector = new Float32Array(DIMENSIONS);
  vector[0] = similarity;
  vector[1] = Math.sqrt(1 - similarity ** 2);
  return vector;
};

const similarityOf = (n: number): number => (n % 97) / 97;

/** An index of many facts. After each fact, `hidden` may add another one. */
const indexOf = (hidden: (n: number) => Partial<StoredFact> | undefined): MemoryIndex => {
  const codes = createCodeSpace({ dimensions: DIMENSIONS });
  const index = MemoryIndex.create(TEST_SEED);
  const layer = index.createVectors(codes);
  const add = (n: number, similarity: number, members: Partial<StoredFact>): void => {
    const fact = sampleFact(n, members);
    index.add(fact);
    const { code, scale } = codes.quantise(at(similarity));
    layer.set(fact, code, scale);
  };
  for (let n = 0; n < FACTS; n += 1) {
    add(2 * n + 1, similarityOf(n), {});
    const members = hidden(n);
    if (members !== undefined) add(2 * n + 2, 1, members);
  }
  index.serveVectors({ embedder: 'scripted', layer });
  return index;
};

describe('the distribution of similarities in a large view', () => {
  const plain = indexOf(() => undefined);

  it('is estimated from an even sample of some hundred facts', async () => {
    const { count, mean, deviation } = (await askSpread(plain, at(1), [], SAMPLE_VIEW)).spread as Spread;
    expect(count).to.be.within(400, 520);
    expect(mean).to.be.closeTo(0.5, 0.05);
    expect(deviation).to.be.closeTo(Math.sqrt(1 / 12), 0.03);
  });

  it('does not depend on facts outside the view, wherever they stand among the others', async () => {
    const expected = await askSpread(plain, at(1), [], SAMPLE_VIEW);
    const elsewhere = indexOf((n) => (n % 3 === 0 ? { scope: 'public' } : undefined));
    expect(await askSpread(elsewhere, at(1), [], SAMPLE_VIEW)).to.deep.equal(expected);
    const faint = indexOf((n) => (n % 5 < 2 ? { confidence: 0.05 } : undefined));
    expect(await askSpread(faint, at(1), [], SAMPLE_VIEW)).to.deep.equal(expected);
    const expired = indexOf((n) => (n % 7 === 0 ? { validUntilMs: SAMPLE_MS - 1 } : undefined));
    expect(await askSpread(expired, at(1), [], SAMPLE_VIEW)).to.deep.equal(expected);
  });
});

describe('the distribution of similarities in a small view', () => {
  const NUMBERS = Array.from({ length: 40 }, (_, n) => n + 1);

  /** The vectors of the facts whose number `isFirst` accepts are in one layer, the others in a second one. */
  const spreadIn = async (isFirst: (n: number) => boolean): Promise<Spread | undefined> => {
    const codes = createCodeSpace({ dimensions: DIMENSIONS });
    const index = MemoryIndex.create(TEST_SEED);
    const layers = [index.createVectors(codes), index.createVectors(codes)] as const;
    for (const n of NUMBERS) {
      const fact = sampleFact(n, {});
      index.add(fact);
      const { code, scale } = codes.quantise(at(similarityOf(n * 7)));
      layers[isFirst(n) ? 0 : 1].set(fact, code, scale);
    }
    index.serveVectors(...layers.map((layer) => ({ embedder: 'scripted', layer })));
    return (await askSpread(index, at(0.7), [], SAMPLE_VIEW)).spread;
  };

  it('does not depend on which vectors have arrived together, to the last digit', async () => {
    const expected = await spreadIn(() => true);
    expect(await spreadIn((n) => n > 20)).to.deep.equal(expected);
    expect(await spreadIn((n) => n % 3 === 0)).to.deep.equal(expected);
  });
});
