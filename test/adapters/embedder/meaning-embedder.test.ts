import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createMeaningEmbedder } from '../../../adapters/embedder/meaning-embedder.ts';
import { readWordTable, wordTable } from '../../../adapters/embedder/word-table.ts';
import { projectRoot } from '../../architecture/source-files.ts';
import { describeEmbedder } from '../../contract/embedder-contract.ts';

const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, component, at) => sum + component * (b[at] as number), 0);

for (const dimensions of [768, 256] as const) {
  describeEmbedder(`the embedder of words in ${dimensions} dimensions`, () => ({
    embedder: createMeaningEmbedder(dimensions),
  }));

  describe(`similarity of meaning in ${dimensions} dimensions`, () => {
    const embedder = createMeaningEmbedder(dimensions);
    const similarity = async (a: string, b: string): Promise<number> => {
      const [left, right] = await embedder.embed([a, b], 'document');
      return dot(left as Float32Array, right as Float32Array);
    };

    it('is higher for a paraphrase than for a text about another topic', async () => {
      const questions = [
        ['which instrument does she play', 'the cello stands in her room', 'the boiler stands in her cellar'],
        ['who repairs bicycles', 'he mends bikes for neighbours', 'he bakes bread for neighbours'],
        ['a doctor for children', 'a paediatric clinic', 'a quarry of limestone'],
        ['plans for a journey', 'they will travel by ship', 'they will paint the fence'],
      ];
      for (const [question, near, far] of questions as [string, string, string][]) {
        expect(await similarity(question, near), question).to.be.above(await similarity(question, far));
      }
    });

    it('tolerates spelling mistakes, inflected forms, accents and letter case', async () => {
      const pairs = [
        ['plans for her education', 'educaton plan'],
        ['the painting of a lighthouse', 'painted lighthouses'],
        ['Zoë lives in Málaga', 'zoe malaga'],
        ['東京に住んでいます', '東京に住む'],
        ['она живёт в Казани', 'Казани'],
      ];
      for (const [document, query] of pairs as [string, string][]) {
        expect(await similarity(document, query), query).to.be.above(embedder.similarityFloor);
      }
    });

    it('treats a query of invented words as unrelated', async () => {
      const texts = ['user:noor memory:role archivist', 'the boat was sold in May', '東京に住んでいます', 'qwxz vrrk'];
      for (const nonsense of ['zxqv wkrrt pflgm', 'xyzzq jjvwk', '9f8e7d6c zzkw']) {
        for (const text of texts) {
          expect(await similarity(nonsense, text), `${nonsense}, ${text}`).to.be.below(embedder.similarityFloor);
        }
      }
    });

    it('gives every text a non-zero vector, even a text of punctuation only', async () => {
      for (const text of ['', '?', '…', '\u{1F600}']) expect(await similarity(text, text)).to.be.closeTo(1, 1e-5);
    });
  });
}

describe('the vectors of the meaning embedder', () => {
  it('are the same on every machine, so stored vectors stay comparable while the id is the same', async () => {
    const made = [768, 256].map(async (dimensions) => {
      const { id, embed } = createMeaningEmbedder(dimensions as 256 | 768);
      const [vector] = await embed(['user:noor memory:role Archivist in Málaga, since 2019'], 'document');
      const rounded = (vector as Float32Array).map((component) => Math.round(component * 1e4)).join(',');
      return [id, createHash('sha256').update(rounded).digest('hex').slice(0, 16)];
    });
    expect(await Promise.all(made)).to.deep.equal([
      ['words-3-768', 'f04e9a3dd88d917f'],
      ['words-3-256', 'f88c90a1a4af9a88'],
    ]);
  });

  it('hold the leading axes of meaning and the leading sketches in the first 256 dimensions', async () => {
    const text = ['the cello stands in her room'];
    const [whole] = await createMeaningEmbedder(768).embed(text, 'document');
    const [short] = await createMeaningEmbedder(256).embed(text, 'document');
    const cut = (whole as Float32Array).subarray(0, 128);
    expect(dot(cut, short as Float32Array)).to.be.closeTo(
      Math.hypot(...cut) * Math.hypot(...(short as Float32Array).subarray(0, 128)),
      1e-4,
    );
  });
});

describe('the word table of the meaning embedder', () => {
  const table = wordTable();
  const howKnown = (word: string): string => table.add(word, 1, new Float64Array(table.dimensions));

  it('finds known words, builds other words from their pieces, and rejects nonsense', () => {
    for (const word of ['the', 'cello', 'cellos', 'stories', 'travelling', '1987']) {
      expect(howKnown(word), word).to.equal('word');
    }
    for (const word of ['horseshoemaker', 'lighthousekeeper', 'microgliosis', 'sourdough']) {
      expect(howKnown(word), word).to.equal('pieces');
    }
    for (const word of ['zxqv', 'wkrrt', 'qqqqqqqqqqqq', '', '__proto__', '9f8e7d6c', 'a'.repeat(1000)]) {
      expect(howKnown(word), word).to.equal('nothing');
    }
  });

  it('places a rare word near words of similar meaning by its pieces', () => {
    const vectorOf = (word: string): Float64Array => {
      const sums = new Float64Array(table.dimensions);
      table.add(word, 1, sums);
      return sums;
    };
    const product = (a: string, b: string): number => {
      const [left, right] = [vectorOf(a), vectorOf(b)];
      const along = left.reduce((sum, component, at) => sum + component * (right[at] as number), 0);
      return along / Math.hypot(...left) / Math.hypot(...right);
    };
    expect(product('microgliosis', 'inflammation')).to.be.above(product('microgliosis', 'furniture'));
    expect(product('lighthousekeeper', 'lighthouse')).to.be.above(product('lighthousekeeper', 'furniture'));
    expect(product('sourdough', 'bread')).to.be.above(product('sourdough', 'furniture'));
  });

  it('counts every occurrence of a rare word, but repeated common words hardly more than once', () => {
    const lengthOf = (word: string, times: number): number => {
      const sums = new Float64Array(table.dimensions);
      table.add(word, times, sums);
      return Math.hypot(...sums);
    };
    expect(lengthOf('cello', 4) / lengthOf('cello', 1)).to.be.within(3.5, 4);
    expect(lengthOf('the', 4) / lengthOf('the', 1)).to.be.within(1, 1.1);
  });

  it('is a file of at most 6 MB', () => {
    expect(statSync(join(projectRoot(), 'adapters/embedder/word-table.bin')).size).to.be.below(6_000_000);
  });

  it('is refused when it is damaged', () => {
    for (const bytes of [new Uint8Array(0), new Uint8Array(12).fill(9), new Uint8Array(100)]) {
      expect(() => readWordTable(bytes)).to.throw(RangeError, 'damaged');
    }
  });
});
