import { expect } from 'chai';
import { createSigner, encodeBase64Url } from '../../../../kernel/internal-api.ts';
import type { Peering } from '../../../../plugins/federation/peerings/peering.ts';
import type { FederatedFact, ProofVerdict } from '../../../../plugins/federation/proofs/origin-proof.ts';
import { createPeerIdentity, keyIdOf, type PeerIdentity } from '../../../kit/federation/peer-identity.ts';
import { type OriginProofJson, originProof, type WireFact } from '../../../kit/federation/wire-fact.ts';
import { inTemporaryFolder } from '../../../kit/temporary-folder.ts';
import { keyOf, NODE_ID, type ServingNode, startServingNode } from '../serving-kit.ts';

const SEED = Buffer.alloc(32, 7);

const signer = createSigner(SEED);
const SELF = { nodeId: NODE_ID, keyId: keyIdOf(signer.publicKey), signer, saltOf: () => Buffer.alloc(16, 3) };

const WIRE: WireFact = {
  id: 'fact-1',
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v: 'archivist' },
  source: 'agent:x',
  timestamp: '2026-03-02T09:15:04.120Z',
  hlc: '1772442904120.007',
  confidence: 0.9,
  scope: 'public',
  valid_until: null,
  derived_from: [],
};

const federated = (proof: OriginProofJson | null, origin: string | null, wire: WireFact = WIRE): FederatedFact => ({
  draft: {
    id: wire.id,
    entity: wire.entity,
    relation: wire.relation,
    value: { type: 'string', v: String(wire.value.v), interpretAs: 'content' },
    source: wire.source,
    timestamp: wire.timestamp,
    hlcText: wire.hlc,
    confidence: wire.confidence,
    scope: 'public',
    validUntil: wire.valid_until,
    derivedFrom: wire.derived_from,
  },
  originNodeId: origin,
  proof: proof && {
    keyId: proof.key_id,
    salt: proof.salt,
    refsSalt: proof.refs_salt,
    signature: proof.signature,
  },
});

describe('the verification of a proof of origin', () => {
  const judged = async (
    build: (node: ServingNode) => { readonly fact: FederatedFact; readonly sender: PeerIdentity },
    settings = {},
  ): Promise<ProofVerdict | undefined> => {
    const env = { SVC_NODE_PRIVATE_KEY: encodeBase64Url(SEED) };
    const node = await startServingNode({ env, settings: { federation: settings } });
    try {
      const { fact, sender } = build(node);
      const [verdict] = await node.serving.proofs.judge([fact], node.peerings.get(sender.nodeId) as Peering);
      return verdict;
    } finally {
      await node.stop();
    }
  };
  const stranger = createPeerIdentity('svc://stranger.test', () => 0);

  it('gives `verified` for facts of the sender and relayed facts of peers, by any of their keys', async () => {
    expect(
      await judged((node) => {
        const sender = node.addPeer('p');
        return { fact: federated(sender.prove(WIRE), null), sender };
      }),
    ).to.equal('verified');
    expect(
      await judged((node) => {
        const sender = node.addPeer('p');
        const origin = node.addPeer('o');
        node.addPeer('o', { status: 'revoked', keys: [keyOf(sender), keyOf(origin, 8.64e15)] });
        return { fact: federated(origin.prove(WIRE), origin.nodeId), sender };
      }),
    ).to.equal('verified');
  });

  it('gives `ended-key` for a relayed fact by a key that has ended, and `verified` from the origin itself', async () => {
    const ended = (isRelayed: boolean) =>
      judged((node) => {
        const relay = node.addPeer('p');
        const origin = node.addPeer('o');
        node.addPeer('o', { keys: [keyOf(relay), keyOf(origin, 1)] });
        return { fact: federated(origin.prove(WIRE), origin.nodeId), sender: isRelayed ? relay : origin };
      });
    expect(await ended(true)).to.equal('ended-key');
    expect(await ended(false)).to.equal('verified');
  });

  it('gives `verified` for a fact of this node only if this node signed it', async () => {
    const own = createPeerIdentity(NODE_ID, () => 0);
    const withSeed = (sender: PeerIdentity) => ({ sender, fact: federated(originProof(WIRE, SELF), NODE_ID) });
    expect(await judged((node) => withSeed(node.addPeer('p')))).to.equal('verified');
    const forged = (sender: PeerIdentity) => ({ sender, fact: federated(own.prove(WIRE), NODE_ID) });
    expect(await judged((node) => forged(node.addPeer('p')))).to.equal('invalid');
    const bare = (sender: PeerIdentity) => ({ sender, fact: federated(null, NODE_ID) });
    expect(await judged((node) => bare(node.addPeer('p')))).to.equal('missing');
  });

  it('ignores keys that another tenant registered for the origin', async () => {
    const verdict = await judged((node) => {
      const sender = node.addPeer('p');
      const origin = node.addPeer('o', { tenantId: 'other' });
      return { fact: federated(origin.prove(WIRE), origin.nodeId), sender };
    });
    expect(verdict).to.equal('unverified');
  });

  it('gives `verified` for a fact of this node signed by a former key whose seed was deleted', async () => {
    await inTemporaryFolder(async (folder) => {
      const start = (seed: Uint8Array): Promise<ServingNode> =>
        startServingNode({ folder, env: { SVC_NODE_PRIVATE_KEY: encodeBase64Url(seed) } });
      await (await start(SEED)).stop();
      const node = await start(Buffer.alloc(32, 8));
      const sender = node.addPeer('p');
      const fact = federated(originProof(WIRE, SELF), NODE_ID);
      const verdicts = await node.serving.proofs.judge([fact], node.peerings.get(sender.nodeId) as Peering);
      await node.stop();
      expect(verdicts).to.deep.equal(['verified']);
    });
  });

  it('gives `invalid` after any change to the fact, the proof or the named origin', async () => {
    const changes: readonly ((fact: FederatedFact) => FederatedFact)[] = [
      (fact) => ({ ...fact, draft: { ...fact.draft, id: 'fact-2' } }),
      (fact) => ({ ...fact, draft: { ...fact.draft, entity: 'user:bob' } }),
      (fact) => ({ ...fact, draft: { ...fact.draft, relation: 'memory:x' } }),
      (fact) => ({ ...fact, draft: { ...fact.draft, value: { ...fact.draft.value, v: 'king' } } }),
      (fact) => ({ ...fact, draft: { ...fact.draft, value: { ...fact.draft.value, type: 'text' } } }),
      (fact) => ({ ...fact, draft: { ...fact.draft, value: { ...fact.draft.value, interpretAs: 'instruction' } } }),
      (fact) => ({ ...fact, draft: { ...fact.draft, source: 'agent:y' } }),
      (fact) => ({ ...fact, draft: { ...fact.draft, scope: 'company' } }),
      (fact) => ({ ...fact, draft: { ...fact.draft, confidence: 1 } }),
      (fact) => ({ ...fact, draft: { ...fact.draft, timestamp: '2026-03-02T09:15:04.12Z' } }),
      (fact) => ({ ...fact, draft: { ...fact.draft, hlcText: '1772442904120.7' } }),
      (fact) => ({ ...fact, draft: { ...fact.draft, validUntil: '2031-01-01T00:00:00Z' } }),
      (fact) => ({ ...fact, draft: { ...fact.draft, derivedFrom: ['sha256:1'] } }),
      ...(['salt', 'refsSalt', 'signature'] as const).flatMap((member) => [
        (fact: FederatedFact) => ({
          ...fact,
          proof: { ...(fact.proof as NonNullable<typeof fact.proof>), [member]: '' },
        }),
        (fact: FederatedFact) => {
          const proof = fact.proof as NonNullable<typeof fact.proof>;
          const changed = `${proof[member].startsWith('A') ? 'B' : 'A'}${proof[member].slice(1)}`;
          return { ...fact, proof: { ...proof, [member]: changed } };
        },
      ]),
    ];
    const node = await startServingNode();
    const sender = node.addPeer('p');
    const origin = node.addPeer('o');
    const facts = changes.map((change) => change(federated(origin.prove(WIRE), origin.nodeId)));
    const whole = [...facts, federated(origin.prove(WIRE), origin.nodeId)];
    const verdicts = await node.serving.proofs.judge(whole, node.peerings.get(sender.nodeId) as Peering);
    await node.stop();
    expect(verdicts.slice(0, -1)).to.deep.equal(facts.map(() => 'invalid'));
    expect(verdicts.at(-1)).to.equal('verified');
  });

  it('gives `unknown-key` for a new key of an origin that is a peer, from any sender', async () => {
    for (const isRelayed of [false, true]) {
      const verdict = await judged((node) => {
        const origin = node.addPeer('o');
        const sender = isRelayed ? node.addPeer('p') : origin;
        const next = createPeerIdentity(origin.nodeId, () => 0, 'next key');
        return { fact: federated(next.prove(WIRE), origin.nodeId), sender };
      });
      expect(verdict).to.equal('unknown-key');
    }
  });

  it('gives `unverified` if the keys of the origin are unknown, unless proofs are required', async () => {
    const build = (node: ServingNode) => ({
      fact: federated(stranger.prove(WIRE), stranger.nodeId),
      sender: node.addPeer('p'),
    });
    expect(await judged(build)).to.equal('unverified');
    expect(await judged(build, { requireProof: true })).to.equal('missing');
  });

  it('gives `invalid` for a malformed proof, even if no key is known', async () => {
    const proof = stranger.prove(WIRE);
    for (const changed of [{ salt: 'AAAA' }, { signature: 'AAAA' }, { key_id: '' }, { key_id: 'x'.repeat(4_000) }]) {
      const build = (node: ServingNode) => ({
        fact: federated({ ...proof, ...changed }, stranger.nodeId),
        sender: node.addPeer('p'),
      });
      expect(await judged(build), JSON.stringify(changed)).to.equal('invalid');
    }
  });

  it('gives `absent` or `missing` for a fact without a proof, depending on its origin', async () => {
    const from = (origin: 'sender' | 'peer' | 'stranger') => (node: ServingNode) => {
      const sender = node.addPeer('p');
      const named = { sender: null, peer: node.addPeer('o').nodeId, stranger: stranger.nodeId }[origin];
      return { fact: federated(null, named), sender };
    };
    expect(await judged(from('sender'))).to.equal('absent');
    expect(await judged(from('sender'), { requireProof: true })).to.equal('absent');
    expect(await judged(from('stranger'))).to.equal('absent');
    expect(await judged(from('stranger'), { requireProof: true })).to.equal('missing');
    expect(await judged(from('peer'))).to.equal('missing');
  });

  it('reads the keys of all origins of a page in one statement', async () => {
    const asked: (readonly string[])[] = [];
    const node = await startServingNode();
    const sender = node.addPeer('p');
    const origins = ['a', 'b', 'c'].map((name) => node.addPeer(name));
    const { withNodes } = node.asks;
    node.asks.withNodes = (tenantId, nodeIds) => {
      asked.push(nodeIds);
      return withNodes(tenantId, nodeIds);
    };
    const facts = [...origins, sender, stranger].flatMap((origin) => [
      federated(origin.prove(WIRE), origin.nodeId),
      federated(null, origin.nodeId),
    ]);
    const verdicts = await node.serving.proofs.judge(facts, node.peerings.get(sender.nodeId) as Peering);
    await node.stop();
    const relayed = ['verified', 'missing'];
    expect(verdicts).to.deep.equal(
      [relayed, relayed, relayed, ['verified', 'absent'], ['unverified', 'absent']].flat(),
    );
    expect(asked).to.deep.equal([[...origins, stranger].map(({ nodeId }) => nodeId)]);
  });

  it('checks each fact of a long page, in order', async () => {
    const node = await startServingNode();
    const sender = node.addPeer('p');
    const facts = Array.from({ length: 300 }, (_, at) => {
      const wire = { ...WIRE, id: `fact-${at}`, value: { type: 'text', v: 'x'.repeat(at % 7 === 0 ? 300_000 : 1) } };
      const fact = federated(at % 3 === 0 ? null : sender.prove(wire), null, wire);
      const draft = { ...fact.draft, value: { type: 'text', v: wire.value.v, interpretAs: 'content' } } as const;
      return { ...fact, draft: at % 5 === 0 ? { ...draft, entity: 'user:changed' } : draft };
    });
    const verdicts = await node.serving.proofs.judge(facts, node.peerings.get(sender.nodeId) as Peering);
    await node.stop();
    const expected = facts.map((_, at) => (at % 3 === 0 ? 'absent' : at % 5 === 0 ? 'invalid' : 'verified'));
    expect(verdicts).to.deep.equal(expected);
  });
});
