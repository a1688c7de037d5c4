import { expect } from 'chai';
import { keyIdOf } from '../../../../kernel/internal-api.ts';
import { type ClaimedIdentity, followKeys } from '../../../../plugins/federation/peerings/follow-keys.ts';
import type { PeerKey } from '../../../../plugins/federation/peerings/peering.ts';
import { successionBytes } from '../../../../plugins/node-info/node-info-api.ts';
import { createPeerIdentity, type PeerIdentity } from '../../../kit/federation/peer-identity.ts';

const NODE = 'svc://p.test';
const VALID_FROM = '2026-01-01T00:00:00.000Z';

const identity = (number: number): PeerIdentity => createPeerIdentity(NODE, () => 0, `key ${number}`);

/** Returns the key list of a node in which each key signs the next one. */
const listOf = (keys: readonly PeerIdentity[]): ClaimedIdentity['listed'] =>
  keys.map(({ signer: { publicKey }, publicKey: publicKeyText, keyId }, at) => {
    const before = keys[at - 1];
    const bytes = successionBytes(NODE, { keyId, publicKey: publicKeyText, validFrom: VALID_FROM });
    const signedBy = before === undefined ? null : { keyId: before.keyId, signature: before.signer.sign(bytes) };
    return { keyId, publicKey, publicKeyText, validFrom: VALID_FROM, validUntilMs: null, signedBy };
  });

describe('the stored keys of a peer', () => {
  it('are at most a hundred, the newest ones, however often the peer rotates its key', () => {
    let known: readonly PeerKey[] = [
      { keyId: identity(0).keyId, publicKey: identity(0).signer.publicKey, validUntilMs: null },
    ];
    for (const first of [0, 90]) {
      const keys = Array.from({ length: 91 }, (_, at) => identity(first + at));
      const publicKey = keys.at(-1)?.signer.publicKey ?? new Uint8Array();
      known = followKeys(known, { nodeId: NODE, publicKey, listed: listOf(keys), unicodeVersion: null }, 0) ?? [];
    }
    expect(known).to.have.lengthOf(100);
    expect(known.map(({ keyId }) => keyId)).to.deep.equal(
      Array.from({ length: 100 }, (_, at) => keyIdOf(identity(180 - at).signer.publicKey)),
    );
  });
});
