import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { createPeerIdentity, type Document, type PeerIdentity } from '../../kit/federation/peer-identity.ts';
import { declareBoth, drain, federationEvents, has, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import type { WireFact } from '../../kit/federation/wire-fact.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

/** Returns the fact as a relay sends it: it names the origin, with a proof by the origin. */
const told = (origin: PeerIdentity, fact: WireFact): WireFact => {
  const { origin_proof: _, ...bare } = fact;
  return { ...bare, origin_node_id: origin.nodeId, origin_proof: origin.prove(bare) };
};

const unproved = ({ origin_proof: _, ...fact }: WireFact): WireFact => fact;

forEachStore('The proof of an origin', () => {
  const world = createWorld();
  const now = (): number => world.clock.nowMs();
  let node: FederatedNode;
  let strict: FederatedNode;
  let relay: TestPeer;
  let origin: TestPeer;
  const unknown = createPeerIdentity('svc://unknown.test', now);

  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
    strict = await startFederatedNode({ name: 's', ...world, env: { SVC_FEDERATION_REQUIRE_PROOF: 'true' } });
    relay = await startTestPeer({ ...world, nowMs: now, host: 'relay.test' });
    origin = await startTestPeer({ ...world, nowMs: now, host: 'origin.test' });
    for (const each of [node, strict]) {
      await declareBoth(each, relay);
      await declareBoth(each, origin);
    }
  });
  after(async () => {
    for (const each of [node, strict, relay, origin]) await each?.stop();
  });

  const verdictOf = async (at: FederatedNode, by: PeerIdentity, fact: WireFact): Promise<string> => {
    const { body } = await push(at, by, [fact]);
    const stored = await has(at, fact.id);
    expect(stored, JSON.stringify(body)).to.equal(body.accepted === 1);
    return body.errors[0]?.error ?? 'stored';
  };
  const isVerified = async (at: FederatedNode, id: string, key = at.key): Promise<unknown> =>
    (await at.request('GET', `/v1/facts/${id}`, { key })).body.origin_verified;

  const cases: readonly (readonly [string, () => [PeerIdentity, WireFact], string, string])[] = [
    ['good, from the origin itself', () => [origin, origin.fact()], 'stored', 'stored'],
    ['absent, from the origin itself', () => [origin, unproved(origin.fact())], 'stored', 'stored'],
    ['good, by way of a relay', () => [relay, told(origin, relay.fact())], 'stored', 'stored'],
    [
      'absent, by way of a relay',
      () => [relay, unproved(told(origin, relay.fact()))],
      'invalid_origin_proof',
      'invalid_origin_proof',
    ],
    [
      'made by the relay',
      () => [relay, { ...told(origin, relay.fact()), origin_proof: relay.prove(relay.fact()) }],
      'invalid_origin_proof',
      'invalid_origin_proof',
    ],
    [
      'made by the relay under the key id of the origin',
      () => forged(),
      'invalid_origin_proof',
      'invalid_origin_proof',
    ],
    [
      'of another fact of the origin',
      () => [relay, { ...told(origin, relay.fact()), origin_proof: origin.prove(relay.fact()) }],
      'invalid_origin_proof',
      'invalid_origin_proof',
    ],
    [
      'of an origin whose keys are not known',
      () => [relay, told(unknown, relay.fact())],
      'stored',
      'invalid_origin_proof',
    ],
    [
      'absent, of an origin whose keys are not known',
      () => [relay, unproved(told(unknown, relay.fact()))],
      'stored',
      'invalid_origin_proof',
    ],
    [
      'wrong, from the origin itself',
      () => [origin, { ...origin.fact(), origin_proof: relay.prove(origin.fact()) }],
      'invalid_origin_proof',
      'invalid_origin_proof',
    ],
    ['no object', () => [origin, { ...origin.fact(), origin_proof: 'trust me' as never }], 'refused', 'refused'],
  ];
  const forged = (): [PeerIdentity, WireFact] => {
    const fact = told(origin, relay.fact());
    const asOrigin = { ...createPeerIdentity(origin.nodeId, now, 'key of a forger') };
    return [relay, { ...fact, origin_proof: { ...asOrigin.prove(fact), key_id: origin.keyId } }];
  };
  for (const [title, make, verdict, strictVerdict] of cases) {
    it(`that is ${title}: ${verdict}${verdict === strictVerdict ? '' : `, and ${strictVerdict} where proofs are required`}`, async () => {
      const [by, fact] = make();
      for (const [at, expected] of [
        [node, verdict],
        [strict, strictVerdict],
      ] as const) {
        const audited = (await federationEvents(at, 'federation_integrity_rejected')).length;
        const got = await verdictOf(at, by, fact);
        if (expected === 'refused') expect(got).to.be.oneOf(['invalid_fact', 'invalid_origin_proof']);
        else expect(got).to.equal(expected);
        const more = (await federationEvents(at, 'federation_integrity_rejected')).length - audited;
        if (expected === 'invalid_origin_proof') expect(more).to.equal(1);
      }
    });
  }

  const alterations: readonly Document[] = [
    { id: 'another-id' },
    { entity: 'user:other' },
    { relation: 'memory:other' },
    { value: { type: 'string', v: 'other' } },
    { value: { type: 'text', v: 'said by origin.test' } },
    { source: 'agent:other' },
    { timestamp: '2026-03-02T08:59:59.000Z' },
    { timestamp: '2026-03-02T10:00:00.000+01:00' },
    { hlc: '1772442000000.77' },
    { hlc: '01772442000000.1' },
    { confidence: 0.5 },
    { valid_from: '2026-01-01T00:00:00Z' },
    { valid_until: '2026-12-31T00:00:00Z' },
    { derived_from: [`sha256:${'c'.repeat(64)}`] },
    { origin_node_id: 'svc://relay.test' },
  ];
  for (const change of alterations) {
    it(`does not match a fact of which a relay altered ${Object.keys(change)[0]}: ${JSON.stringify(change)}`, async () => {
      const fact = { ...told(origin, origin.fact()), ...change } as WireFact;
      expect(await verdictOf(node, relay, fact)).to.equal('invalid_origin_proof');
    });
  }

  it('does not match a fact from which a relay removed valid_from', async () => {
    const { valid_from: _, ...bare } = told(origin, origin.fact({ valid_from: '2026-01-01T00:00:00Z' }));
    expect(await verdictOf(node, relay, bare)).to.equal('invalid_origin_proof');
  });

  it('shows only admins which origins are verified', async () => {
    const [verified, bare, stranger] = [origin.fact(), unproved(origin.fact()), told(unknown, relay.fact())];
    await push(node, origin, [verified, bare]);
    await push(node, relay, [stranger]);
    expect(await isVerified(node, verified.id)).to.equal(true);
    expect(await isVerified(node, bare.id)).to.equal(false);
    expect(await isVerified(node, stranger.id)).to.equal(false);
    const reader = await node.addKey();
    expect(await isVerified(node, verified.id, reader)).to.equal(undefined);
    expect((await node.get(`/v1/facts/${stranger.id}`)).body.origin_node_id).to.equal(unknown.nodeId);
  });

  it('is relayed unchanged, also by a node that cannot check it', async () => {
    const fact = told(unknown, relay.fact());
    await push(node, relay, [fact]);
    const served = (await drain(node, origin)).facts.find(({ id }) => id === fact.id);
    expect(served?.origin_proof).to.deep.equal(fact.origin_proof);
    expect(served?.origin_node_id).to.equal(unknown.nodeId);
  });
});

forEachStore('A node that lost its store', () => {
  it('gets its own facts back from a peer, each with its own proof, and none without', async () => {
    const world = createWorld();
    const keeper = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    const before = await startFederatedNode({ name: 'n', ...world });
    await declareBoth(before, keeper);
    const said = await before.say({ source: before.nodeId });
    const agent = await before.say({ source: 'svc://n.test/agent/a' });
    const { facts } = await drain(before, keeper);
    await before.stop();
    const node = await startFederatedNode({ name: 'n', ...world, env: {} });
    await declareBoth(node, keeper);
    const back = facts.map((fact) => ({ ...fact, origin_node_id: node.nodeId }));
    const altered = back.map((fact) => ({ ...fact, confidence: 0.5, cid: undefined }));
    const refused = await push(node, keeper, [...back.map((fact) => unproved(fact)), ...altered]);
    expect(refused.body).to.include({ accepted: 0, rejected: 4 });
    for (const { error } of refused.body.errors)
      expect(error).to.be.oneOf(['source_not_owned', 'invalid_origin_proof']);
    expect((await push(node, keeper, back)).body).to.include({ accepted: 2, rejected: 0 });
    for (const { id, hlc, source } of [said, agent]) {
      expect((await node.get(`/v1/facts/${id}`)).body).to.include({ id, hlc, source });
    }
    const later = await node.say();
    expect(Number(later.hlc.split('.')[0])).to.be.at.least(Number(said.hlc.split('.')[0]));
    await node.stop();
    await keeper.stop();
  });
});
