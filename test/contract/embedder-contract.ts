import { expect } from 'chai';
import type { Embedder } from '../../ports/ports.ts';

export interface EmbedderSubject {
  readonly embedder: Embedder;
  stop?(): Promise<void>;
}

/** The contract of every embedder, with any model. */
export const describeEmbedder = (name: string, create: () => Promise<EmbedderSubject> | EmbedderSubject): void => {
  describe(`${name} as an embedder`, () => {
    let subject: EmbedderSubject;
    before(async () => {
      subject = await create();
    });
    after(() => subject.stop?.());

    it('states its id, its dimensions and the similarity below which texts are unrelated', () => {
      const { id, dimensions, similarityFloor } = subject.embedder;
      expect(id).to.be.a('string').and.not.equal('');
      expect(Number.isInteger(dimensions) && dimensions > 0).to.equal(true);
      expect(similarityFloor).to.be.at.least(-1).and.at.most(1);
    });

    it('returns one unit vector per text, in order', async () => {
      const { embedder } = subject;
      const texts = ['user:noor memory:role archivist', 'user:li memory:city Oslo', 'a'];
      const vectors = await embedder.embed(texts, 'document');
      expect(vectors.map((vector) => vector.length)).to.deep.equal(texts.map(() => embedder.dimensions));
      for (const vector of vectors) expect(Math.hypot(...vector)).to.be.closeTo(1, 1e-3);
      const [last] = await embedder.embed([texts[2] as string], 'document');
      expect(cosine(last as Float32Array, vectors[2] as Float32Array)).to.be.closeTo(1, 1e-4);
    });

    it('returns the same vector for the same text', async () => {
      const [first] = await subject.embedder.embed(['user:noor memory:role archivist'], 'query');
      const [second] = await subject.embedder.embed(['user:noor memory:role archivist'], 'query');
      expect(cosine(first as Float32Array, second as Float32Array)).to.be.closeTo(1, 1e-4);
    });

    it('returns no vectors for no texts', async () => {
      expect(await subject.embedder.embed([], 'document')).to.deep.equal([]);
    });

    it('embeds long and unusual texts', async () => {
      const texts = ['word '.repeat(5_000), '\u{1F600}\u2028é', '"(*:^ NEAR -'];
      for (const vector of await subject.embedder.embed(texts, 'document')) {
        expect([...vector].every(Number.isFinite)).to.equal(true);
      }
    });
  });
};

const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, component, at) => sum + component * (b[at] as number), 0);
