import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { chanceFloor, createHashingEmbedder } from '../../../adapters/embedder/hashing-embedder.ts';
import { createTruncatingEmbedder } from '../../../adapters/embedder/truncating-embedder.ts';
import type { Embedder } from '../../../ports/ports.ts';
import { describeEmbedder } from '../../contract/embedder-contract.ts';
import { RUNS } from '../../kit/property-runs.ts';

const createShort = (): Embedder =>
  createTruncatingEmbedder(createHashingEmbedder(), { dimensions: 256, similarityFloor: chanceFloor(256) });

describeEmbedder('the hashing embedder', () => ({ embedder: createHashingEmbedder() }));
describeEmbedder('the hashing embedder cut to 256 dimensions', () => ({ embedder: createShort() }));

const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, component, at) => sum + component * (b[at] as number), 0);

for (const create of [createHashingEmbedder, createShort]) {
  describe(`similarity of spelling in ${create().dimensions} dimensions`, () => {
    const embedder = create();
    const similarity = async (a: string, b: string): Promise<number> => {
      const [document] = await embedder.embed([a], 'document');
      const [query] = await embedder.embed([b], 'query');
      return dot(document as Float32Array, query as Float32Array);
    };

    it('tolerates spelling mistakes, inflected forms, accents and letter case', async () => {
      const pairs = [
        ['plans for her education', 'educaton plan'],
        ['the painting of a lighthouse', 'painted lighthouses'],
        ['Zoë lives in Málaga', 'zoe malaga'],
        ['user:noor memory:role archivist', 'what is the role of noor'],
        ['東京に住んでいます', '東京に住む'],
      ];
      for (const [document, query] of pairs) {
        expect(await similarity(document as string, query as string), query).to.be.above(embedder.similarityFloor);
      }
    });

    it('gives more weight to rare words than to words of every sentence', async () => {
      const question = 'what was it that she did with the telescope';
      const telling = await similarity('a telescope on the roof', question);
      const empty = await similarity('it was what she did with that', question);
      expect(telling).to.be.above(empty);
    });

    it('weights each repetition of a word less than the one before', async () => {
      const query = 'telescope';
      const [once, twice, often] = await Promise.all(
        [1, 2, 20].map((times) => similarity(`${'telescope '.repeat(times)} on the roof beside a chimney`, query)),
      );
      expect((twice as number) - (once as number)).to.be.above(0);
      expect((often as number) - (twice as number)).to.be.below(18 * ((twice as number) - (once as number)));
    });

    it('treats texts that agree only by chance as unrelated', async () => {
      const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'.split('');
      const nonsense = fc.array(fc.string({ unit: fc.constantFrom(...letters), minLength: 7, maxLength: 14 }), {
        minLength: 2,
        maxLength: 12,
      });
      let [above, pairs] = [0, 0];
      await fc.assert(
        fc.asyncProperty(nonsense, nonsense, async (left, right) => {
          const value = await similarity(
            left.map((word) => `x${word}`).join(' '),
            right.map((word) => `y${word}`).join(' '),
          );
          pairs++;
          if (value > embedder.similarityFloor) above++;
        }),
        // A share of random pairs needs many of them, and the same ones in each run.
        { numRuns: 500, seed: 29 },
      );
      expect(above / pairs).to.be.below(0.02);
    });

    it('gives every text a non-zero vector, even a text of punctuation only', async () => {
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (text) => {
          expect(await similarity(text, text)).to.be.closeTo(1, 1e-5);
        }),
        { numRuns: RUNS },
      );
    });
  });
}

describe('the vectors of the hashing embedder', () => {
  it('are the same on every machine, so stored vectors stay comparable while the id is the same', async () => {
    const { id, embed } = createHashingEmbedder();
    const [vector] = await embed(['user:noor memory:role Archivist in Málaga, since 2019'], 'document');
    const rounded = (vector as Float32Array).map((component) => Math.round(component * 1e4)).join(',');
    expect([id, createHash('sha256').update(rounded).digest('hex').slice(0, 16)]).to.deep.equal([
      'hashing-1-768',
      '6d591113eaca495d',
    ]);
  });

  it('can be shortened to their leading dimensions and rescaled to unit length', async () => {
    const [whole] = await createHashingEmbedder().embed(['a telescope on the roof'], 'document');
    const [cut] = await createShort().embed(['a telescope on the roof'], 'document');
    const length = Math.hypot(...(whole as Float32Array).subarray(0, 256));
    (cut as Float32Array).forEach((component, at) => {
      expect(component).to.be.closeTo(((whole as Float32Array)[at] as number) / length, 1e-6);
    });
    expect(createShort().id).to.equal('hashing-1-768/256');
    for (const dimensions of [0, 2.5, 768, 1_000]) {
      const work = () => createTruncatingEmbedder(createHashingEmbedder(), { dimensions, similarityFloor: 0 });
      expect(work).to.throw(RangeError);
    }
  });
});
