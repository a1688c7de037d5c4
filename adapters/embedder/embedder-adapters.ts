import { ADAPTER_API, defineEmbedder, Embedder } from '../../ports/ports.ts';
import {
  type BuiltInEmbedderSettings,
  builtInEmbedderSettings,
  httpEmbedderSettings,
  localModelSettings,
  sentenceModelSettings,
} from './embedder-settings.ts';
import type { HttpEmbedderSettings } from './http-embedder.ts';
import type { LocalModelSettings } from './local-model-embedder.ts';
import type { SentenceModelSettings } from './sentence-model-embedder.ts';

/** Compares texts by the meaning of their words and by their spelling. Needs no model. */
export const wordsAdapter = defineEmbedder<BuiltInEmbedderSettings>({
  port: Embedder,
  name: 'words',
  adapterApi: ADAPTER_API,
  settings: builtInEmbedderSettings,
  create: async ({ dimensions }) => {
    const { createMeaningEmbedder } = await import('./meaning-embedder.ts');
    return createMeaningEmbedder(dimensions);
  },
});

/** Compares texts only by their spelling. Needs no model and no table. */
export const hashingAdapter = defineEmbedder<BuiltInEmbedderSettings>({
  port: Embedder,
  name: 'hashing',
  adapterApi: ADAPTER_API,
  settings: builtInEmbedderSettings,
  create: async ({ dimensions }) => {
    const { createSizedHashingEmbedder } = await import('./sized-hashing-embedder.ts');
    return createSizedHashingEmbedder(dimensions);
  },
});

/** Uses an OpenAI-compatible embeddings endpoint. */
export const httpEmbedderAdapter = defineEmbedder<HttpEmbedderSettings>({
  port: Embedder,
  name: 'http',
  adapterApi: ADAPTER_API,
  settings: httpEmbedderSettings,
  create: async (settings, parts) => {
    const { createHttpEmbedder } = await import('./http-embedder.ts');
    return createHttpEmbedder(settings, parts);
  },
});

/** Runs an ONNX model from a folder, with a package that the operator has installed. */
export const localModelAdapter = defineEmbedder<LocalModelSettings>({
  port: Embedder,
  name: 'local-model',
  adapterApi: ADAPTER_API,
  settings: localModelSettings,
  create: async (settings) => {
    const { createLocalModelEmbedder } = await import('./local-model-embedder.ts');
    return createLocalModelEmbedder(settings);
  },
});

/** Runs a sentence model in a thread, with packages that the operator has installed. */
export const sentenceModelAdapter = defineEmbedder<SentenceModelSettings>({
  port: Embedder,
  name: 'sentence-model',
  adapterApi: ADAPTER_API,
  settings: sentenceModelSettings,
  create: async ({ model, similarityFloor }) => {
    const [{ findSentenceModel }, { SentenceModelEmbedder }] = await Promise.all([
      import('./sentence-model-package.ts'),
      import('./sentence-model-embedder.ts'),
    ]);
    return new SentenceModelEmbedder(await findSentenceModel(model), similarityFloor);
  },
});
