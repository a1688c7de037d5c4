import { decodeBase64Url, encodeBase64Url, keyIdOf } from '../../../kernel/internal-api.ts';
import type { NodeSelf, Random, StoredFact } from '../../../kernel/plugin-api.ts';
import type { NodeIdentity } from '../../node-info/node-info-api.ts';
import type { OriginProof } from './origin-proof.ts';
import { commitmentsOf, originStatement, SALT_BYTES } from './origin-statement.ts';
import { MARK_PURPOSE, markedSalt } from './tenant-mark.ts';

export interface SigningParts {
  readonly self: Pick<NodeSelf, 'nodeId'>;
  readonly identity: Pick<NodeIdentity, 'publicKey' | 'signAll' | 'deriveSecret'>;
  readonly random: Random;
}

/** Signs proofs for facts that were first stored here, in order. */
export const signOwnFacts = async (
  { self, identity, random }: SigningParts,
  facts: readonly StoredFact[],
): Promise<readonly OriginProof[]> => {
  // Draws all random bytes in one call, because a call costs more than the bytes.
  const drawn = random.bytes(2 * SALT_BYTES * facts.length);
  const saltAt = (at: number): Uint8Array => drawn.subarray(at * SALT_BYTES, (at + 1) * SALT_BYTES);
  const secret = identity.deriveSecret(MARK_PURPOSE);
  const salts = facts.map((fact, at) => ({
    salt: saltAt(2 * at),
    refsSalt: markedSalt(saltAt(2 * at + 1), fact, secret),
  }));
  const statements = facts.map((fact, at) =>
    originStatement(fact, commitmentsOf(fact, salts[at] as (typeof salts)[number]), self.nodeId),
  );
  // Reads the key id before signing, because the key may change in between.
  const keyId = keyIdOf(decodeBase64Url(identity.publicKey) as Uint8Array);
  const signatures = await identity.signAll(statements);
  return salts.map(({ salt, refsSalt }, at) => ({
    keyId,
    salt: encodeBase64Url(salt),
    refsSalt: encodeBase64Url(refsSalt),
    signature: encodeBase64Url(signatures[at] as Uint8Array),
  }));
};
