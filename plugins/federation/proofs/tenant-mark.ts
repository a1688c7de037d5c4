import { createHmac, timingSafeEqual } from 'node:crypto';
import { SALT_BYTES } from './origin-statement.ts';

/** The fact of this node for which a salt is drawn. */
export interface MarkedFact {
  readonly tenantId: string;
  readonly id: string;
}

/** The purpose of the secret with which the node makes its marks. */
export const MARK_PURPOSE = 'tenants of origin proofs';
/** The length of the random part, by which nobody can guess a salt, not even with the key of the node. */
const RANDOM_BYTES = 8;

/**
 * Returns a salt whose second half marks the tenant of a fact. All tenants of a node sign with one key, so a signature
 * alone does not tell whose fact a peer brings back. To all others the salt is random.
 */
export const markedSalt = (drawn: Uint8Array, fact: MarkedFact, secret: Uint8Array): Uint8Array => {
  const random = drawn.subarray(0, RANDOM_BYTES);
  return Buffer.concat([random, markOf(random, fact, secret)]);
};

export const isMarkedFor = (salt: Uint8Array, fact: MarkedFact, secret: Uint8Array): boolean =>
  timingSafeEqual(salt.subarray(RANDOM_BYTES), markOf(salt.subarray(0, RANDOM_BYTES), fact, secret));

const markOf = (random: Uint8Array, { tenantId, id }: MarkedFact, secret: Uint8Array): Uint8Array =>
  createHmac('sha256', secret)
    .update(random)
    .update(JSON.stringify([tenantId, id]))
    .digest()
    .subarray(0, SALT_BYTES - RANDOM_BYTES);
