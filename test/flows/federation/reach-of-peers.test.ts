import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import type { Document } from '../../kit/federation/peer-identity.ts';
import { declareBoth, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { type WireFact, wireCid } from '../../kit/federation/wire-fact.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const BOTH = { scopes: ['public', 'company'] };
const DAY_MS = 86_400_000;

forEachStore('The authority of a peer', () => {
  const world = createWorld();
  let node: FederatedNode;
  /** A peer for public facts alone, without the grant. */
  let stranger: TestPeer;
  /** A peer for company facts, and thus with the grant. */
  let partner: TestPeer;
  /** A peer for public facts with an explicit grant, and one for company facts with an explicit refusal. */
  let trusted: TestPeer;
  let refused: TestPeer;

  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
    const peerOf = (host: string) => startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host });
    stranger = await peerOf('stranger.test');
    partner = await peerOf('partner.test');
    trusted = await peerOf('trusted.test');
    refused = await peerOf('refused.test');
    await declareBoth(node, stranger);
    await declareBoth(node, partner, BOTH, BOTH);
    await declareBoth(node, trusted, { mayEndOthers: true });
    await declareBoth(node, refused, { ...BOTH, mayEndOthers: false }, BOTH);
  });
  after(async () => {
    for (const each of [stranger, partner, trusted, refused, node]) await each?.stop();
  });
  beforeEach(() => world.clock.advance(1_000));

  const stored = async (peer: TestPeer, fact: WireFact): Promise<WireFact> => {
    const { body } = await push(node, peer, [fact]);
    expect(body.accepted, JSON.stringify(body)).to.equal(1);
    await world.clock.advance(10);
    return fact;
  };
  const shown = async (entity: string): Promise<readonly Document[]> =>
    (await node.get(`/v1/facts?entity=${entity}&include_contradicted=true`)).body.facts;
  /** Returns the members of the open conflict about an entity. */
  const contradicting = async (entity: string): Promise<readonly string[]> => {
    const { body } = await node.get('/v1/conflicts?limit=500');
    return body.conflicts.find(({ fact_a }: { fact_a: Document }) => fact_a['entity'] === entity)?.members ?? [];
  };
  const idsOf = (facts: readonly Document[]): readonly unknown[] => facts.map(({ id }) => id);
  const saying = (v: string) => ({ value: { type: 'string', v } });

  it('is shown with the grant in the list of peers', async () => {
    const { body } = await node.get('/v1/federation/peers');
    const grants = body.peers.map((peer: Document) => [peer['node_id'], peer['may_end_others']]);
    expect(Object.fromEntries(grants)).to.deep.equal({
      [stranger.nodeId]: false,
      [partner.nodeId]: true,
      [trusted.nodeId]: true,
      [refused.nodeId]: false,
    });
  });

  for (const [name, peerOf] of [
    ['for public facts alone', () => stranger],
    ['for company facts whose grant this node refuses', () => refused],
  ] as const) {
    it(`${name} covers retractions of its own facts only; any other stays visible with the reason`, async () => {
      const peer = peerOf();
      const about = { entity: `user:kept-${peer.nodeId.length}`, relation: 'memory:role' };
      const own = await stored(peer, peer.fact({ ...about, ...saying('own') }));
      const local = await node.say({ ...about, ...saying('local') });
      await world.clock.advance(10);
      const other = await stored(partner, partner.fact({ ...about, ...saying('other') }));
      const retraction = await stored(peer, peer.fact({ ...about, ...saying('own'), confidence: 0 }));
      const facts = await shown(about.entity);
      expect(idsOf(facts)).to.have.members([local.id, other.id, retraction.id]);
      expect(facts.find(({ id }) => id === retraction.id)?.['not_granted']).to.equal('retraction');
      expect(facts.find(({ id }) => id === local.id)).not.to.have.property('not_granted');
      const late = await stored(
        peer,
        peer.fact({ ...about, ...saying('late'), hlc: `${world.clock.nowMs() - 500}.0` }),
      );
      expect(idsOf(await shown(about.entity)))
        .to.not.include.members([own.id])
        .and.not.include(late.id);
      const { body } = await node.request('POST', '/v1/recall', {
        key: node.key,
        body: { query: 'own late', token_budget: 500 },
      });
      expect(JSON.stringify(body)).not.to.include('own');
    });
  }

  for (const [name, peerOf] of [
    ['for company facts', () => partner],
    ['with an explicit grant', () => trusted],
  ] as const) {
    it(`${name} covers retractions of the facts of others`, async () => {
      const peer = peerOf();
      const about = { entity: `user:gone-${peer.nodeId.length}`, relation: 'memory:role' };
      await node.say({ ...about, ...saying('local') });
      await world.clock.advance(10);
      await stored(stranger, stranger.fact({ ...about, ...saying('other') }));
      const retraction = await stored(peer, peer.fact({ ...about, ...saying('local'), confidence: 0 }));
      const facts = await shown(about.entity);
      expect(idsOf(facts)).to.deep.equal([retraction.id]);
      expect(facts[0]).not.to.have.property('not_granted');
    });
  }

  it('lets a replacement end exactly the facts that it names, in any order of arrival', async () => {
    for (const isLate of [false, true]) {
      const about = { entity: `user:named-${isLate}`, relation: 'memory:role' };
      const local = await node.say({ ...about, ...saying('local') });
      const rival = await node.say({ ...about, ...saying('rival') });
      const [own, other] = [
        partner.fact({ ...about, ...saying('own') }),
        stranger.fact({ ...about, ...saying('other') }),
      ];
      const names = [own.id, `${other.id} ${stranger.nodeId}`, `${local.id} ${node.nodeId}`];
      await world.clock.advance(10);
      const replacement = partner.fact({ ...about, ...saying('new'), replaces: names });
      if (isLate) await stored(partner, replacement);
      await stored(partner, own);
      await stored(stranger, other);
      if (!isLate) await stored(partner, replacement);
      const live = await node.get(`/v1/synthesis?entity=${about.entity}`);
      expect(live.status, live.text).to.equal(200);
      const { body } = await node.get(`/v1/facts/${replacement.id}`);
      expect(body.replaces).to.deep.equal([own.id, other.id, local.id]);
      expect(await contradicting(about.entity)).to.have.members([rival.id, replacement.id]);
    }
  });

  it('never lets a replacement end a fact of another origin that has the same id', async () => {
    const about = { entity: 'user:namesakes', relation: 'memory:role' };
    const named = await stored(stranger, stranger.fact({ ...about, ...saying('named') }));
    const namesake = await stored(partner, partner.fact({ ...about, ...saying('namesake'), id: named.id }));
    await world.clock.advance(10);
    const replaces = [`${namesake.id} ${stranger.nodeId}`];
    const replacement = await stored(partner, partner.fact({ ...about, ...saying('new'), replaces }));
    const facts = (await node.get(`/v1/facts?entity=${about.entity}`)).body.facts as readonly Document[];
    const shownIds = await contradicting(about.entity);
    expect(shownIds).to.include(replacement.id).and.have.length(2).and.not.include(named.id);
    expect(facts).to.have.length(1);
  });

  it('without the grant covers replacements of its own facts only; others are contradicted', async () => {
    const about = { entity: 'user:named-rivals', relation: 'memory:role' };
    const own = await stored(stranger, stranger.fact({ ...about, ...saying('own') }));
    const local = await node.say({ ...about, ...saying('local') });
    await world.clock.advance(10);
    const replaces = [own.id, `${local.id} ${node.nodeId}`];
    const replacement = await stored(stranger, stranger.fact({ ...about, ...saying('new'), replaces }));
    const facts = await shown(about.entity);
    expect(facts.find(({ id }) => id === replacement.id)).to.include({ not_granted: 'replacement' });
    expect(await contradicting(about.entity)).to.have.members([local.id, replacement.id]);
  });

  it('includes no change to the replaced ids of a fact, because the origin signed them', async () => {
    const fact = partner.fact({ replaces: ['an-id'] });
    for (const changed of [
      { ...fact, replaces: ['another'] },
      { ...fact, replaces: [] },
    ]) {
      const { body } = await push(node, partner, [changed]);
      expect(body.errors).to.deep.equal([{ fact_id: fact.id, error: 'invalid_origin_proof' }]);
    }
    for (const replaces of ['an-id', [1], ['a', 'a'], ['a ']]) {
      const { body } = await push(node, partner, [partner.fact({ replaces: replaces as string[] })]);
      expect(body.errors[0].error, JSON.stringify(replaces)).to.equal('invalid_fact');
    }
    await stored(partner, fact);
  });

  it('without the grant includes no resolution of facts of others; such a resolution is a rival with its reason', async () => {
    const about = { entity: 'user:rivals', relation: 'memory:role' };
    const own = await stored(stranger, stranger.fact({ ...about, ...saying('own') }));
    const local = await node.say({ ...about, ...saying('local') });
    await world.clock.advance(10);
    const named = [wireCid(own), String(local['cid'])];
    const resolution = await stored(stranger, stranger.fact({ ...about, ...saying('decided'), derived_from: named }));
    const facts = await shown(about.entity);
    expect(facts.find(({ id }) => id === resolution.id)).to.include({ not_granted: 'resolution', contradicted: true });
    expect(facts.find(({ id }) => id === local.id)).to.include({ contradicted: true });
    expect(await contradicting(about.entity)).to.have.members([local.id, resolution.id]);
  });

  it('without the grant includes no resolution of facts of others that arrives before them', async () => {
    const about = { entity: 'user:early', relation: 'memory:role' };
    const own = stranger.fact({ ...about, ...saying('own') });
    const other = partner.fact({ ...about, ...saying('other') });
    await world.clock.advance(10);
    const derived = [own, other].map(wireCid);
    const resolution = await stored(stranger, stranger.fact({ ...about, ...saying('x'), derived_from: derived }));
    await stored(partner, other);
    await stored(stranger, own);
    const facts = await shown(about.entity);
    expect(facts.find(({ id }) => id === resolution.id)?.['not_granted']).to.equal('resolution');
    expect(await contradicting(about.entity)).to.have.members([other.id, resolution.id]);
  });

  it('includes resolutions with confidence 1 only, as for local callers', async () => {
    const about = { entity: 'user:unsure', relation: 'memory:role' };
    const one = await node.say({ ...about, ...saying('one') });
    const other = await node.say({ ...about, ...saying('other') });
    await world.clock.advance(10);
    const unsure = { ...about, ...saying('both'), confidence: 0.9, derived_from: [one['cid'], other['cid']] };
    const received = await stored(partner, partner.fact(unsure));
    const said = await node.say(unsure);
    expect(idsOf(await shown(about.entity))).to.have.members([one.id, other.id, received.id, said.id]);
    await node.say({ ...unsure, confidence: 1 });
    expect(await contradicting(about.entity)).to.deep.equal([]);
  });

  it('includes no timestamp further ahead than a stamp may be', async () => {
    const at = (ms: number) => ({ timestamp: new Date(world.clock.nowMs() + ms).toISOString() });
    const { body } = await push(node, partner, [
      partner.fact({ timestamp: '9999-01-01T00:00:00Z' }),
      partner.fact(at(DAY_MS)),
      partner.fact(at(1_000)),
    ]);
    expect(body.errors.map(({ error }: { error: string }) => error)).to.deep.equal(['hlc_skew', 'hlc_skew']);
    expect(body.accepted).to.equal(1);
  });
});
