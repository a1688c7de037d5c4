import { createHash } from 'node:crypto';
import { type Clock, type Embedder, ServiceError, type Transport } from '../../ports/ports.ts';
import { readEmbeddings } from './read-embeddings.ts';
import { sendWithRetries } from './send-with-retries.ts';

export interface HttpEmbedderSettings {
  /** Up to and including the version, for example `http://localhost:11434/v1`. */
  readonly url: string;
  readonly model: string;
  /** A secret. */
  readonly apiKey?: string | undefined;
  /** Every reply must have so many. */
  readonly dimensions: number;
  /** Whether the request asks for the dimensions; not every endpoint and model takes that. */
  readonly sendDimensions: boolean;
  readonly batchSize: number;
  readonly timeoutMs: number;
  /** How often a request is sent before it has failed. */
  readonly attempts: number;
  /** The prefix that the model expects before a text. */
  readonly documentPrefix: string;
  readonly queryPrefix: string;
  readonly similarityFloor: number;
}

export interface HttpEmbedderParts {
  readonly transport: Pick<Transport, 'send'>;
  readonly clock: Clock;
  /** Uniform in [0, 1): jitter. */
  readonly fraction: () => number;
}

/**
 * Vectors from an endpoint that speaks OpenAI's `/v1/embeddings`: Ollama, vLLM, TEI, or a hosted one. The operator
 * names the address, so it may be private. Every failure is `ServiceError('unavailable')`, whose message says what to
 * do and holds neither text nor key.
 */
export const createHttpEmbedder = (settings: HttpEmbedderSettings, parts: HttpEmbedderParts): Embedder => {
  const { model, dimensions, batchSize, similarityFloor } = settings;
  const prefixes = { document: settings.documentPrefix, query: settings.queryPrefix };
  const embedBatch = async (texts: readonly string[], purpose: 'document' | 'query'): Promise<Float32Array[]> => {
    const reply = await sendWithRetries(
      requestFor(
        settings,
        texts.map((text) => prefixes[purpose] + text),
      ),
      // A caller waits for a query; documents have time.
      { ...parts, attempts: purpose === 'query' ? Math.min(settings.attempts, QUERY_ATTEMPTS) : settings.attempts },
    );
    if (reply.status !== 200) throw refusal(reply.status);
    return readEmbeddings(reply.body, { count: texts.length, dimensions });
  };
  return {
    id: `http:${model}:${dimensions}${prefixMark(prefixes.document)}`,
    dimensions,
    similarityFloor,
    async embed(texts, purpose) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += batchSize) {
        vectors.push(...(await embedBatch(texts.slice(at, at + batchSize), purpose)));
      }
      return vectors;
    },
  };
};

const QUERY_ATTEMPTS = 2;
/** A component as text takes 25 bytes at most; the rest of an answer is small. */
const BYTES_OF_COMPONENT = 32;
const BYTES_OF_FRAME = 64 * 1024;

const requestFor = (settings: HttpEmbedderSettings, input: readonly string[]): Parameters<Transport['send']>[0] => {
  const { url, model, apiKey, dimensions, sendDimensions, timeoutMs } = settings;
  return {
    method: 'POST',
    url: embeddingsUnder(url),
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      ...(apiKey ? { Authorization: `Bearer ${apiKey}` } : {}),
    },
    body: JSON.stringify({ model, input, encoding_format: 'float', ...(sendDimensions ? { dimensions } : {}) }),
    timeoutMs,
    maxResponseBytes: BYTES_OF_FRAME + input.length * dimensions * BYTES_OF_COMPONENT,
    allowPrivate: true,
    purpose: 'embedder',
  };
};

/** A query stays behind the path: some endpoints want their version or their key there. */
const embeddingsUnder = (base: string): string => {
  const [, address = '', query = ''] = /^([^?#]*)(\?[^#]*)?/.exec(base) ?? [];
  return `${address.replace(/\/+$/, '')}/embeddings${query}`;
};

/** A document that is read with another prefix has another vector. */
const prefixMark = (prefix: string): string =>
  prefix === '' ? '' : `:${createHash('sha256').update(prefix).digest('hex').slice(0, 8)}`;

const refusal = (status: number): ServiceError => {
  const what =
    status === 401 || status === 403
      ? 'refused the key: check SVC_EMBED_API_KEY'
      : status === 404
        ? 'does not know the address or the model: check SVC_EMBED_URL and SVC_EMBED_MODEL'
        : status === 429 || status >= 500
          ? 'is overloaded or out of order: try again later'
          : 'does not take the request: check SVC_EMBED_MODEL and SVC_EMBED_SEND_DIMENSIONS';
  return new ServiceError('unavailable', `the embedding endpoint answered ${status} and ${what}`);
};
