import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createLocalModelEmbedder, type LocalModelSettings } from '../../../adapters/embedder/local-model-embedder.ts';
import { importModelRuntime, type ModelRuntime, type Tensor } from '../../../adapters/embedder/model-runtime.ts';
import { describeEmbedder } from '../../contract/embedder-contract.ts';
import { rejection } from '../../kit/rejection.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

/** The width of the hidden states: each character is a token, and its code determines its state. */
const WIDTH = 6;
const stateOf = (code: number): number[] =>
  Array.from({ length: WIDTH }, (_, at) => Math.sin(code * (at + 1)) + 0.1 * at);

/**
 * Stands in for the large package `@huggingface/transformers`. It offers the same calls and tensors, with one token for
 * each character and non-zero states for padding.
 */
const createRuntime = (more: { readonly width?: number; readonly states?: (data: number[]) => number[] } = {}) => {
  const loads: unknown[] = [];
  const batches: string[][] = [];
  const runtime: ModelRuntime = {
    env: { allowRemoteModels: true, allowLocalModels: false, localModelPath: '' },
    AutoTokenizer: {
      from_pretrained: async (name, options) => {
        loads.push([name, options, { ...runtime.env }]);
        return (texts, { max_length }) => {
          batches.push([...texts]);
          const rows = texts.map((text) => [...text].slice(0, max_length).map((character) => character.charCodeAt(0)));
          const tokens = Math.max(...rows.map((row) => row.length));
          const tensor = (value: (row: number[], at: number) => number): Tensor => ({
            data: BigInt64Array.from(
              rows.flatMap((row) => Array.from({ length: tokens }, (_, at) => BigInt(value(row, at)))),
            ),
            dims: [texts.length, tokens],
          });
          return {
            input_ids: tensor((row, at) => row[at] ?? 0),
            attention_mask: tensor((row, at) => (at < row.length ? 1 : 0)),
          };
        };
      },
    },
    AutoModel: {
      from_pretrained: async (name, options) => {
        loads.push([name, options]);
        return async (inputs) => {
          const { data, dims } = (inputs as { readonly input_ids: Tensor }).input_ids;
          const states = Array.from(data, (code) => stateOf(Number(code))).flat();
          return {
            last_hidden_state: {
              data: Float32Array.from(more.states?.(states) ?? states),
              dims: [...dims, more.width ?? WIDTH],
            },
          };
        };
      },
    },
  };
  return { runtime, loads, batches };
};

const SETTINGS: Omit<LocalModelSettings, 'folder'> = {
  weights: 'q8',
  dimensions: WIDTH,
  maxTokens: 64,
  layerNorm: false,
  documentPrefix: 'search_document: ',
  queryPrefix: 'search_query: ',
  similarityFloor: 0.5,
};

/**
 * Computes the vector as the documentation of the model says: mean over the tokens, layer norm, truncation, unit
 * length.
 */
const expected = (
  text: string,
  { dimensions, layerNorm }: { readonly dimensions: number; readonly layerNorm: boolean },
) => {
  const states = [...text].map((character) => stateOf(character.charCodeAt(0)));
  const mean = Array.from(
    { length: WIDTH },
    (_, at) => states.reduce((sum, state) => sum + (state[at] as number), 0) / states.length,
  );
  const middle = mean.reduce((sum, component) => sum + component, 0) / WIDTH;
  const spread = Math.sqrt(mean.reduce((sum, component) => sum + (component - middle) ** 2, 0) / WIDTH + 1e-5);
  const cut = (layerNorm ? mean.map((component) => (component - middle) / spread) : mean).slice(0, dimensions);
  const length = Math.hypot(...cut);
  return cut.map((component) => component / length);
};

describe('the local model embedder', () => {
  const texts = ['a short text', 'a text that is a good deal longer', 'x'];

  for (const layerNorm of [false, true]) {
    for (const dimensions of [WIDTH, 4]) {
      it(`pools only the tokens of a text, ${layerNorm ? 'with' : 'without'} layer norm, to ${dimensions} dimensions`, async () => {
        await inTemporaryFolder(async (folder) => {
          const { runtime } = createRuntime();
          const settings = { ...SETTINGS, folder, layerNorm, dimensions };
          const vectors = await createLocalModelEmbedder(settings, async () => runtime).embed(texts, 'document');
          texts.forEach((text, at) => {
            const right = expected(`search_document: ${text}`, { dimensions, layerNorm });
            expect([...(vectors[at] as Float32Array)]).to.have.length(dimensions);
            right.forEach((component, place) => {
              expect(vectors[at]?.[place]).to.be.closeTo(component, 1e-5);
            });
          });
        });
      });
    }
  }

  it('loads only from its folder, once, with the first text', async () => {
    await inTemporaryFolder(async (parent) => {
      const folder = join(parent, 'tiny-model');
      await mkdir(folder);
      const { runtime, loads, batches } = createRuntime();
      const embedder = createLocalModelEmbedder({ ...SETTINGS, folder }, async () => runtime);
      expect(await embedder.embed([], 'query')).to.deep.equal([]);
      expect(loads).to.deep.equal([]);
      await Promise.all([embedder.embed(['a'], 'query'), embedder.embed(Array(20).fill('b'), 'document')]);
      expect(loads).to.deep.equal([
        [
          'tiny-model',
          { local_files_only: true },
          { allowRemoteModels: false, allowLocalModels: true, localModelPath: parent },
        ],
        ['tiny-model', { local_files_only: true, dtype: 'q8' }],
      ]);
      expect(batches.map((batch) => batch.length).sort()).to.deep.equal([1, 16, 4]);
      expect(batches.flat()).to.include.members(['search_query: a', 'search_document: b']);
    });
  });

  it('reads at most the configured number of tokens of a text', async () => {
    await inTemporaryFolder(async (folder) => {
      const { runtime } = createRuntime();
      const embedder = createLocalModelEmbedder({ ...SETTINGS, folder, maxTokens: 20 }, async () => runtime);
      const [one, other] = await embedder.embed(['abcdefgh', 'abc and so on'], 'document');
      expect(one).to.deep.equal(other);
    });
  });

  it('gets another id when a setting changes its document vectors', () => {
    const variants: readonly Partial<LocalModelSettings>[] = [
      {},
      { weights: 'fp32' },
      { dimensions: 4 },
      { layerNorm: true },
      { documentPrefix: '' },
      { folder: '/models/other' },
    ];
    const ids = variants.map((more) => createLocalModelEmbedder({ ...SETTINGS, folder: '/models/tiny', ...more }).id);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(createLocalModelEmbedder({ ...SETTINGS, folder: '/elsewhere/tiny', queryPrefix: '' }).id).to.equal(ids[0]);
  });

  it('names the missing file, and tries again with the next text', async () => {
    await inTemporaryFolder(async (folder) => {
      const missing = createLocalModelEmbedder({ ...SETTINGS, folder: join(folder, 'none') });
      expect((await rejection(missing.embed(['a'], 'query'))).message).to.include('SVC_EMBED_MODEL_FOLDER');
      await writeFile(join(folder, 'file'), '');
      const file = createLocalModelEmbedder({ ...SETTINGS, folder: join(folder, 'file') });
      expect((await rejection(file.embed(['a'], 'query'))).message).to.include('SVC_EMBED_MODEL_FOLDER');

      const { runtime } = createRuntime();
      const broken: ModelRuntime = {
        ...runtime,
        AutoModel: { from_pretrained: () => Promise.reject(new Error('no model.onnx')) },
      };
      const runtimes = [broken, runtime];
      const embedder = createLocalModelEmbedder({ ...SETTINGS, folder }, async () => runtimes.shift() as ModelRuntime);
      const error = await rejection(embedder.embed(['a'], 'query'));
      expect([error['code'], error.message]).to.deep.equal([
        'unavailable',
        'the local model cannot be loaded: check the files in its folder and SVC_EMBED_WEIGHTS',
      ]);
      expect(await embedder.embed(['a'], 'query')).to.have.length(1);
    });
  });

  it('names the package that operators must install, and the command for it', async () => {
    const unresolved = () => Promise.reject(Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' }));
    const error = await rejection(importModelRuntime(unresolved));
    expect(error['code']).to.equal('unavailable');
    expect(error.message).to.include('is not installed').and.include('npm install @huggingface/transformers');
    expect(error['hint']).to.include('where the node is installed');
    const damaged = await rejection(importModelRuntime(() => Promise.reject(new Error('no binding'))));
    expect(damaged.message).to.include('cannot be loaded');
  });

  it('refuses a model with too few dimensions, and invalid vectors', async () => {
    await inTemporaryFolder(async (folder) => {
      const message = async (settings: Partial<LocalModelSettings>, states?: (data: number[]) => number[]) => {
        const { runtime } = createRuntime(states === undefined ? {} : { states });
        const embedder = createLocalModelEmbedder({ ...SETTINGS, folder, ...settings }, async () => runtime);
        return (await rejection(embedder.embed(['a'], 'query'))).message;
      };
      expect(await message({ dimensions: 7 })).to.include('has 6 dimensions, not 7: set SVC_EMBED_DIMENSIONS');
      expect(await message({}, (data) => data.map(() => Number.NaN))).to.include('not finite');
      expect(await message({}, (data) => data.map(() => 0))).to.include('without direction');
    });
  });
});

describeEmbedder('the local model embedder', () => ({
  // Any existing folder works, because the runtime is a fake.
  embedder: createLocalModelEmbedder({ ...SETTINGS, folder: '.' }, async () => createRuntime().runtime),
}));
