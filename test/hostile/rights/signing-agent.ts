import { generateKeyPairSync, sign } from 'node:crypto';
import { expect } from 'chai';
import type { TestNode } from '../../kit/start-test-node.ts';

/** Returns the attestation of an assertion, as its agent sends it. */
export type SignAssertion = (lines: readonly string[]) => { readonly key_id: string; readonly signature: string };

/** Registers an agent key for the entity of an API key, and returns a function that signs with it. */
export const signingAgent = async (node: TestNode, key: string): Promise<SignAssertion> => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const reply = await node.request('POST', '/v1/auth/agent-keys', {
    key,
    body: { public_key: publicKey.export({ format: 'jwk' }).x },
  });
  expect(reply.status, reply.text).to.equal(201);
  return (lines) => ({
    key_id: reply.body.id,
    signature: sign(null, Buffer.from(lines.join('\n')), privateKey).toString('base64url'),
  });
};
