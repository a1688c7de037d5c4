import { join } from 'node:path';
import { expect } from 'chai';
import { createLocalModelEmbedder } from '../../../adapters/embedder/local-model-embedder.ts';
import { importModelRuntime } from '../../../adapters/embedder/model-runtime.ts';
import { ServiceError } from '../../../ports/ports.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { TINY_DIMENSIONS, tinyState, writeTinyModel } from './tiny-model.ts';

/** Computes the mean vector of the tokens that BERT's tokenizer makes of a text with its prefix, at unit length. */
const expected = (text: string): number[] => {
  const tokens = ['[CLS]', 'search', '_', 'document', ':', ...text.split(' '), '[SEP]'].map(tinyState);
  const sum = Array.from({ length: TINY_DIMENSIONS }, (_, at) =>
    tokens.reduce((total, state) => total + (state[at] as number), 0),
  );
  return sum.map((component) => component / Math.hypot(...sum));
};

describe('a model in a folder', () => {
  // The runtime is an optional package of some 470 MB: where it is not installed, the test only checks the message of
  // the embedder. SVC_TEST_MODEL_RUNTIME names a file to import in its place, from an installation elsewhere.
  it('runs in the real runtime when that is installed, and otherwise names the command to install it', async () => {
    await inTemporaryFolder(async (parent) => {
      const folder = join(parent, 'tiny-model');
      await writeTinyModel(folder);
      const embedder = createLocalModelEmbedder(
        {
          folder,
          weights: 'fp32',
          dimensions: TINY_DIMENSIONS,
          maxTokens: 64,
          layerNorm: false,
          documentPrefix: 'search_document: ',
          queryPrefix: 'search_query: ',
          similarityFloor: 0.5,
        },
        () => importModelRuntime((name) => import(process.env['SVC_TEST_MODEL_RUNTIME'] ?? name)),
      );
      const texts = ['a short text', 'a text that is long', 'unknown'];
      const outcome = await embedder.embed(texts, 'document').catch((error: unknown) => error);
      if (outcome instanceof ServiceError) {
        expect(outcome.message).to.include('is not installed').and.include('npm install @huggingface/transformers');
        return;
      }
      const vectors = outcome as Float32Array[];
      for (const [at, text] of texts.entries()) {
        for (const [place, component] of expected(text).entries()) {
          expect(vectors[at]?.[place]).to.be.closeTo(component, 1e-5);
        }
      }
    });
  });
});
