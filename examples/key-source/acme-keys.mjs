import { ADAPTER_API, defineKeySource, KeySource, schema, ServiceError } from 'fact-memory-node/ports';

/** The keys of the operator from a company's own service, which returns them as a JSON list of base64 texts. */
export const acmeKeys = defineKeySource({
  port: KeySource,
  name: 'acme-keys',
  adapterApi: ADAPTER_API,
  settings: schema({
    type: 'object',
    required: ['url', 'timeoutMs'],
    properties: {
      url: { type: 'string', format: 'http-url', env: 'ACME_KEYS_URL', description: 'address of the keys' },
      timeoutMs: { type: 'integer', minimum: 100, default: 10_000, description: 'how long a request may take' },
    },
  }),
  create: ({ url, timeoutMs }) => ({
    async readKeys() {
      const keys = await fetchKeys(url, timeoutMs);
      // The present key comes first. A service that returns anything else must stop the node.
      if (keys.length > 0 && keys.every((key) => key.length === 32)) return keys;
      throw new ServiceError('unavailable', 'the service of keys returns no keys of 32 bytes', { hint: 'ask its owners' });
    },
  }),
});

const fetchKeys = async (url, timeoutMs) => {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' });
    const texts = reply.ok ? await reply.json() : [];
    return texts.map((text) => new Uint8Array(Buffer.from(String(text), 'base64')));
  } catch {
    // Neither the address nor a reply may get into an error: both could hold a secret.
    throw new ServiceError('unavailable', 'the service of keys cannot be reached', { hint: 'look at its own log' });
  }
};
