import { createHash } from 'node:crypto';
import { type Clock, type Embedder, ServiceError, type Transport } from '../../ports/ports.ts';
import { readEmbeddings } from './read-embeddings.ts';
import { sendWithRetries } from './send-with-retries.ts';

export interface HttpEmbedderSettings {
  /** The base URL, up to and including the version, for example `http://localhost:11434/v1`. */
  readonly url: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** The number of components of each vector in a reply. */
  readonly dimensions: number;
  /** Whether requests contain the dimensions. Some endpoints and models refuse the member. */
  readonly sendDimensions: boolean;
  readonly batchSize: number;
  readonly timeoutMs: number;
  /** The maximum number of attempts of one request. */
  readonly attempts: number;
  /** The prefix that the model expects before a text. */
  readonly documentPrefix: string;
  readonly queryPrefix: string;
  readonly similarityFloor: number;
}

export interface HttpEmbedderParts {
  readonly transport: Pick<Transport, 'send'>;
  readonly clock: Clock;
  /** Returns a uniform random number in [0, 1), for jitter. */
  readonly fraction: () => number;
}

/**
 * Creates an embedder on an OpenAI-compatible `/v1/embeddings` endpoint: Ollama, vLLM, TEI, or a hosted one. The
 * operator chooses the address, so it may be private. Every failure is `ServiceError('unavailable')`, with advice and
 * without text or key.
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
      // Limits the attempts for a query, because a caller waits for it.
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
/** The largest size of a component as JSON text is 25 bytes; the rest of a reply is small. */
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

/** Returns the endpoint's URL and preserves the query, which some endpoints need for their version or key. */
const embeddingsUnder = (base: string): string => {
  const [, address = '', query = ''] = /^([^?#]*)(\?[^#]*)?/.exec(base) ?? [];
  return `${address.replace(/\/+$/, '')}/embeddings${query}`;
};

/** Returns the part of the embedder id for a prefix, because another prefix gives other vectors. */
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
