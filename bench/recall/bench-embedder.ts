import type { NodesOptions } from '../processes/bench-place.ts';
import { serveEmbeddings } from './embedding-endpoint.ts';
import type { Memory } from './read-corpus.ts';
import { sentenceModel } from './sentence-model.ts';
import { simulatedModel } from './simulated-model.ts';

/** An embedder that nodes of a bench are started with. */
export interface BenchEmbedder {
  readonly name: string;
  /** Makes it ready for a node that is to have this memory. */
  open(memory: Memory): Promise<OpenEmbedder>;
}

export interface OpenEmbedder {
  /** How a node is started that has it. */
  readonly options: Pick<NodesOptions, 'env' | 'config'>;
  close(): Promise<void>;
}

/** A model in the process of the bench, which nodes ask over HTTP. */
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

/** Below it the texts of both models are unrelated. */
const SERVED_FLOOR = 0.1;
/** The sentence model takes its time for a batch. */
const PATIENCE_MS = 600_000;

/** A recall waits for the vector of its query, however long that takes. */
const PATIENT: NodeJS.ProcessEnv = { SVC_QUERY_EMBED_MS: '0' };

/** The one that a node has without being told. */
export const BUILT_IN: BenchEmbedder = inNode('built-in', {});

/** Of three strengths: a table of words and one of spelling, a small sentence model, and one that knows the answers. */
const NAMED: readonly BenchEmbedder[] = [
  BUILT_IN,
  inNode('hashing', { config: { adapters: { embedder: { use: 'hashing' } } } }),
  served('sentence', sentenceModel),
  served('simulated', async (memory) => simulatedModel(memory)),
];

/** Choices of `benchEmbedder`. */
export const EMBEDDER_CHOICES = `${NAMED.map(({ name }) => name).join(', ')}, or an address of /v1/embeddings`;

/**
 * By its name, or by the address of an endpoint that speaks OpenAI's `/v1/embeddings`; undefined for anything else. The
 * model behind an address is said by the variables `SVC_EMBED_…` of the bench itself.
 */
export const benchEmbedder = (choice: string): BenchEmbedder | undefined => {
  const named = NAMED.find(({ name }) => name === choice);
  if (named !== undefined || !/^https?:\/\//.test(choice)) return named;
  const given = Object.entries(process.env).filter(([name]) => name.startsWith('SVC_EMBED_'));
  return inNode(choice, { env: { ...Object.fromEntries(given), SVC_EMBED_URL: choice, ...PATIENT } });
};
