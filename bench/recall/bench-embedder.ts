import type { NodesOptions } from '../processes/bench-place.ts';
import { serveEmbeddings } from './embedding-endpoint.ts';
import type { Memory } from './read-corpus.ts';
import { sentenceModel } from './sentence-model.ts';
import { simulatedModel } from './simulated-model.ts';

/** An embedder with which a bench starts its nodes. */
export interface BenchEmbedder {
  readonly name: string;
  /** Prepares the embedder for a node that will hold this memory. */
  open(memory: Memory): Promise<OpenEmbedder>;
}

export interface OpenEmbedder {
  /** Start options of a node that uses the embedder. */
  readonly options: Pick<NodesOptions, 'env' | 'config'>;
  close(): Promise<void>;
}

/** A model in the process of the bench, to which nodes send texts over HTTP. */
export interface BenchModel {
  readonly dimensions: number;
  embed(texts: readonly string[]): Promise<readonly ArrayLike<number>[]>;
}

const inNode = (name: string, options: OpenEmbedder['options']): BenchEmbedder => ({
  name,
  open: async () => ({ options, close: async () => {} }),
});

const served = (name: string, modelFor: (memory: Memory) => Promise<BenchModel>): BenchEmbedder => ({
  name,
  async open(memory) {
    const { dimensions, embed } = await modelFor(memory);
    const { url, close } = await serveEmbeddings(embed);
    const embedder = {
      use: 'http',
      url,
      model: name,
      dimensions,
      similarityFloor: SERVED_FLOOR,
      timeoutMs: PATIENCE_MS,
    };
    return { options: { config: { adapters: { embedder } }, env: PATIENT }, close };
  },
});

/** The similarity below which texts are unrelated for both models. */
const SERVED_FLOOR = 0.1;
/** The time limit of a request. The sentence model is slow with a large batch. */
const PATIENCE_MS = 600_000;

/** Makes a recall wait for the vector of its query without a time limit. */
const PATIENT: NodeJS.ProcessEnv = { SVC_QUERY_EMBED_MS: '0' };

export const BUILT_IN: BenchEmbedder = inNode('built-in', {});

/**
 * The embedders by name: two built-in ones without a model, a small sentence model, and a simulated model that knows
 * the answers.
 */
const NAMED: readonly BenchEmbedder[] = [
  BUILT_IN,
  inNode('hashing', { config: { adapters: { embedder: { use: 'hashing' } } } }),
  served('sentence', sentenceModel),
  served('simulated', async (memory) => simulatedModel(memory)),
];

/** The choices of `benchEmbedder`, for messages. */
export const EMBEDDER_CHOICES = `${NAMED.map(({ name }) => name).join(', ')}, or an address of /v1/embeddings`;

/**
 * Returns the embedder with this name, or a remote one for the address of an OpenAI-compatible `/v1/embeddings`
 * endpoint; undefined for anything else. The bench's own `SVC_EMBED_…` variables name the remote model.
 */
export const benchEmbedder = (choice: string): BenchEmbedder | undefined => {
  const named = NAMED.find(({ name }) => name === choice);
  if (named !== undefined || !/^https?:\/\//.test(choice)) return named;
  const given = Object.entries(process.env).filter(([name]) => name.startsWith('SVC_EMBED_'));
  return inNode(choice, { env: { ...Object.fromEntries(given), SVC_EMBED_URL: choice, ...PATIENT } });
};
