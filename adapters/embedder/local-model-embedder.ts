import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { type Embedder, ServiceError } from '../../ports/ports.ts';
import { importModelRuntime, type Model, type ModelRuntime, type Tokenizer } from './model-runtime.ts';
import { poolVectors } from './pool-vectors.ts';

export interface LocalModelSettings {
  /** The folder with `config.json`, `tokenizer.json`, `tokenizer_config.json` and `onnx/model*.onnx`. */
  readonly folder: string;
  /** The weights to load: `fp32` is `onnx/model.onnx`, `q8` is `onnx/model_quantized.onnx`. */
  readonly weights: 'fp32' | 'fp16' | 'q8' | 'q4';
  /** The length of the vectors. It may be below the model's own length if the model supports truncation. */
  readonly dimensions: number;
  /** The maximum number of tokens of a text; the rest is cut off. */
  readonly maxTokens: number;
  /** Whether to normalise pooled vectors over their components before truncation, as nomic-embed-text-v1.5 requires. */
  readonly layerNorm: boolean;
  readonly documentPrefix: string;
  readonly queryPrefix: string;
  readonly similarityFloor: number;
}

/**
 * Creates an embedder on an ONNX model in a folder, in the layout of nomic-embed-text-v1.5: task prefixes, mean
 * pooling, layer norm, truncation to `dimensions`, unit length. It downloads nothing. The first text loads runtime and
 * model. A failure is `ServiceError('unavailable')`, and the next text tries again.
 */
export const createLocalModelEmbedder = (
  settings: LocalModelSettings,
  importRuntime: () => Promise<ModelRuntime> = () => importModelRuntime(),
): Embedder => {
  const { dimensions, similarityFloor, maxTokens } = settings;
  const folder = resolve(settings.folder);
  const prefixes = { document: settings.documentPrefix, query: settings.queryPrefix };
  let loading: Promise<LoadedModel> | undefined;
  const load = async (): Promise<LoadedModel> => {
    loading ??= loadModel(folder, settings, importRuntime);
    try {
      return await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  const embedBatch = async ({ tokenize, run }: LoadedModel, texts: readonly string[]): Promise<Float32Array[]> => {
    const inputs = tokenize(texts, { padding: true, truncation: true, max_length: maxTokens });
    const { last_hidden_state: states } = await run(inputs);
    if (states === undefined) throw unusable('gives no states of tokens; it is not a model for embeddings');
    const width = states.dims[2] ?? 0;
    if (width < dimensions) throw unusable(`has ${width} dimensions, not ${dimensions}: set SVC_EMBED_DIMENSIONS`);
    const vectors = poolVectors(states, inputs.attention_mask, settings);
    if (vectors === undefined) throw unusable('gives a vector without direction, or one that is not finite');
    return vectors;
  };
  return {
    id: `model:${basename(folder)}:${settings.weights}:${dimensions}${settings.layerNorm ? ':norm' : ''}:${prefixes.document.trim()}`,
    dimensions,
    similarityFloor,
    async embed(texts, purpose) {
      if (texts.length === 0) return [];
      const model = await load();
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH_SIZE) {
        const batch = texts.slice(at, at + BATCH_SIZE).map((text) => prefixes[purpose] + text);
        vectors.push(...(await embedBatch(model, batch)));
      }
      return vectors;
    },
  };
};

/** The number of texts in a batch. The model pads a batch to its longest text, so larger batches waste time. */
const BATCH_SIZE = 16;

interface LoadedModel {
  readonly tokenize: Tokenizer;
  readonly run: Model;
}

const loadModel = async (
  folder: string,
  { weights }: LocalModelSettings,
  importRuntime: () => Promise<ModelRuntime>,
): Promise<LoadedModel> => {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw unusable('is missing: SVC_EMBED_MODEL_FOLDER names no folder');
  const { env, AutoTokenizer, AutoModel } = await importRuntime();
  env.allowRemoteModels = false;
  env.allowLocalModels = true;
  env.localModelPath = dirname(folder);
  const name = basename(folder);
  try {
    const tokenize = await AutoTokenizer.from_pretrained(name, { local_files_only: true });
    const run = await AutoModel.from_pretrained(name, { local_files_only: true, dtype: weights });
    return { tokenize, run };
  } catch (cause) {
    throw unusable('cannot be loaded: check the files in its folder and SVC_EMBED_WEIGHTS', cause);
  }
};

const unusable = (what: string, cause?: unknown): ServiceError =>
  new ServiceError('unavailable', `the local model ${what}`, cause === undefined ? {} : { cause });
