// Asserts facts that an agent has signed. The private key never leaves the agent. Needs SVC_URL and SVC_API_KEY.
import { generateKeyPairSync, sign } from 'node:crypto';
import { FactClient, FactMemoryError } from 'fact-memory-node/client';

const client = new FactClient({ source: 'agent:example' });
const { publicKey, privateKey } = generateKeyPairSync('ed25519');

// The last 32 bytes of the DER form are the key itself.
const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url');
const registered = await client.call('POST /v1/auth/agent-keys', { body: { public_key: raw, description: 'example' } });

/** Returns the assertion with the signature of the agent. */
const signed = (fact) => {
  const text = [fact.entity, fact.relation, 'string', fact.value, fact.source].join('\n');
  const signature = sign(null, Buffer.from(text), privateKey).toString('base64url');
  return { ...fact, attestation: { key_id: registered.id, signature } };
};

const fact = { entity: 'sensor:7', relation: 'memory:reading', value: '21.5 C', source: 'agent:example' };
const stored = await client.assert(signed(fact));
console.log('signed by the registered key:', stored.attested_key_id === registered.id);

// A changed value does not match the signature.
const forged = { ...signed(fact), value: '99 C' };
const refusal = await client.assert(forged).catch((error) => error);
console.log('a changed value is refused:', refusal instanceof FactMemoryError && refusal.code);
await client.call('DELETE /v1/auth/agent-keys/{id}', { params: { id: registered.id } });
