import { definePlugin, Embedder, ServiceError, schema, Transport } from 'fact-memory-node/plugin';

/** An embedder that sends texts to a company's own service and receives vectors. */

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

export const acmeEmbedder = definePlugin({
  name: 'acme-embedder',
  version: '1.2.0',
  kernelApi: 1,
  summary: 'Vectors from the embedding service of Acme',
  requires: { transport: Transport },
  provides: [Embedder],
  config: schema({
    type: 'object',
    required: ['url'],
    additionalProperties: false,
    properties: {
      url: { type: 'string', env: 'ACME_EMBED_URL', description: 'address of the service' },
      dimensions: { type: 'integer', minimum: 1, default: 256 },
    },
  }),
  setup({ config, provide, use }) {
    provide(Embedder, createAcmeEmbedder(config, use.transport));
  },
});

const createAcmeEmbedder = ({ url, dimensions }, transport) => ({
  id: `acme-${dimensions}`,
  dimensions,
  similarityFloor: 0.3,
  async embed(texts, purpose) {
    if (texts.length === 0) return [];
    const reply = await transport.send({
      method: 'POST',
      url,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ texts, purpose, dimensions }),
      timeoutMs: TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      allowPrivate: true,
    });
    if (reply.status !== 200) throw new ServiceError('unavailable', `the embedding service answered ${reply.status}`);
    const { vectors } = JSON.parse(Buffer.from(reply.body).toString());
    if (vectors.length !== texts.length) throw new ServiceError('unavailable', 'the embedding service lost a text');
    return vectors.map((vector) => unitVector(vector, dimensions));
  },
});

const unitVector = (vector, dimensions) => {
  const length = Math.hypot(...vector);
  if (vector.length !== dimensions || !Number.isFinite(length) || length === 0) {
    throw new ServiceError('unavailable', 'the embedding service returned a vector that cannot be used');
  }
  return Float32Array.from(vector, (component) => component / length);
};
