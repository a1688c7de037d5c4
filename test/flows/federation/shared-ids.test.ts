import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import type { PeerIdentity } from '../../kit/federation/peer-identity.ts';
import { declareBoth, drain, federationEvents, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import type { WireFact } from '../../kit/federation/wire-fact.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

type Shown = WireFact & { readonly origin_id?: string; readonly contradicted?: boolean };

/** Returns the fact without the proof, as a thief sends it in its own name. */
const stripped = ({ origin_proof: _proof, origin_node_id: _origin, ...fact }: WireFact): WireFact => fact;

/** Returns the fact as a relay passes it on. */
const passedOn = (fact: WireFact, origin: PeerIdentity): WireFact => ({ ...fact, origin_node_id: origin.nodeId });

/** Returns another fact under the id and the stamps of this one. */
const twisted = (fact: WireFact): WireFact => ({
  ...stripped(fact),
  value: { type: 'string', v: 'said by the thief' },
  source: 'agent:thief',
});

forEachStore('Two facts of different nodes with one id', () => {
  const world = createWorld();
  const now = (): number => world.clock.nowMs();
  let node: FederatedNode;
  let other: FederatedNode;
  let origin: TestPeer;
  let thief: TestPeer;
  let relay: TestPeer;
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
    other = await startFederatedNode({ name: 'o', ...world });
    origin = await startTestPeer({ ...world, nowMs: now, host: 'origin.test' });
    thief = await startTestPeer({ ...world, nowMs: now, host: 'thief.test' });
    relay = await startTestPeer({ ...world, nowMs: now, host: 'relay.test' });
    for (const at of [node, other]) for (const peer of [origin, thief, relay]) await declareBoth(at, peer);
  });
  after(async () => {
    for (const each of [node, other, origin, thief, relay]) await each?.stop();
  });
  const accepted = async (at: FederatedNode, by: PeerIdentity, facts: readonly WireFact[]): Promise<void> => {
    const reply = await push(at, by, facts);
    expect(reply.body, reply.text).to.deep.equal({ accepted: facts.length, rejected: 0, errors: [] });
  };
  const refused = async (at: FederatedNode, by: PeerIdentity, fact: WireFact, error: string): Promise<void> => {
    const reply = await push(at, by, [fact]);
    expect(reply.body.errors, reply.text).to.deep.equal([{ fact_id: fact.id, error }]);
  };
  const shown = async (at: FederatedNode, entity: string, query = ''): Promise<readonly Shown[]> =>
    (await at.get(`/v1/facts?entity=${encodeURIComponent(entity)}&include_contradicted=true${query}`)).body.facts;
  /** Returns the list as every node should show it: without local ids. */
  const saying = (facts: readonly Shown[]): readonly unknown[] =>
    facts.map(({ id, origin_id, value, source, contradicted }) => [origin_id ?? id, value.v, source, contradicted]);
  const byId = async (at: FederatedNode, id: string) => at.get(`/v1/facts/${encodeURIComponent(id)}`);
  const entityOf = (facts: readonly WireFact[]): string => (facts[0] as WireFact).entity;
  let entities = 0;
  const factsOf = (peer: TestPeer, count: number): WireFact[] => {
    entities += 1;
    return Array.from({ length: count }, (_, n) =>
      peer.fact({ entity: `user:shared-${entities}`, relation: `memory:m${n}` }),
    );
  };

  it('are both accepted if the second has a proof of origin: 20 of 20, after a thief pushed all ids first (I14)', async () => {
    const honest = factsOf(origin, 20);
    await accepted(node, thief, honest.map(twisted));
    await accepted(
      node,
      relay,
      honest.map((fact) => passedOn(fact, origin)),
    );
    const facts = await shown(node, entityOf(honest), '&include_expired=true&limit=100');
    expect(facts).to.have.length(20);
    expect(new Set(facts.map(({ origin_id }) => origin_id))).to.deep.equal(new Set(honest.map(({ id }) => id)));
    for (const { source } of facts) expect(source).to.equal('agent:of-origin.test');
  });

  it('are both accepted if each has a proof of its own origin, in either order of arrival (I12)', async () => {
    const [said] = factsOf(origin, 1) as [WireFact];
    const rival = { ...twisted(said), origin_proof: thief.prove(twisted(said)) };
    await accepted(node, thief, [rival]);
    await accepted(node, origin, [said]);
    await accepted(other, origin, [said]);
    await accepted(other, thief, [rival]);
    const lists = [await shown(node, said.entity), await shown(other, said.entity)];
    expect(lists[0]).to.have.length(2);
    expect(saying(lists[0] as Shown[])).to.deep.equal(saying(lists[1] as Shown[]));
    expect(lists[0]?.filter(({ origin_id }) => origin_id === said.id)).to.have.length(1);
    for (const fact of lists.flat()) expect((await byId(node, said.id)).body.id).to.equal(said.id, fact.id);
  });

  it('are distinguished within one page: only the fact with a proof is shown', async () => {
    const [said] = factsOf(origin, 1) as [WireFact];
    const reply = await push(node, thief, [twisted(said), stripped(said), passedOn(said, origin)]);
    expect(reply.body.errors).to.deep.equal([{ fact_id: said.id, error: 'id_collision' }]);
    expect(saying(await shown(node, said.entity))).to.deep.equal([[said.id, said.value.v, said.source, false]]);
  });

  it('are both served to peers under that id, with the proofs of their origins', async () => {
    const [said] = factsOf(origin, 1) as [WireFact];
    await accepted(node, thief, [twisted(said)]);
    await accepted(node, origin, [said]);
    const { facts } = await drain(node, relay);
    const served = facts.filter(({ id, entity }) => id === said.id || entity === said.entity);
    expect(served).to.deep.equal([{ ...passedOn(said, origin), ...served[0], origin_proof: said.origin_proof }]);
    expect(served[0]?.id).to.equal(said.id);
    expect(served[0]).not.to.have.property('origin_id');
    await accepted(other, relay, served);
    expect((await byId(other, said.id)).body).to.include({ id: said.id, origin_node_id: origin.nodeId });
  });

  it('keep the true origin of the proven fact, although a thief pushed it first without proof', async () => {
    const [said] = factsOf(origin, 1) as [WireFact];
    await accepted(node, thief, [stripped(said)]);
    expect((await shown(node, said.entity))[0]).to.include({ origin_node_id: thief.nodeId });
    await accepted(node, origin, [said]);
    const [fact, ...rest] = await shown(node, said.entity, '&include_expired=true');
    expect(rest).to.deep.equal([]);
    expect(fact).to.include({ origin_id: said.id, origin_node_id: origin.nodeId });
    expect((await byId(node, said.id)).body.id).to.equal(fact?.id);
  });

  it('never hide a fact whose origin has unknown keys, although another peer signs that id', async () => {
    const [said] = factsOf(relay, 1) as [WireFact];
    const foreign = { ...stripped(said), origin_node_id: 'svc://far.test' };
    await accepted(node, relay, [foreign]);
    await accepted(node, thief, [{ ...twisted(said), origin_proof: thief.prove(twisted(said)) }]);
    const values = (await shown(node, said.entity)).map(({ value }) => value.v);
    expect(values).to.have.members([said.value.v, 'said by the thief']);
    const again = { ...foreign, value: { type: 'string', v: 'another version' } };
    await accepted(node, thief, [{ ...again, source: 'agent:thief' }]);
    await accepted(node, relay, [foreign]);
    expect(await shown(node, said.entity)).to.have.length(3);
  });

  it('become one fact when the proof arrives, and keep the time to live that a client has set', async () => {
    const far = await startTestPeer({ ...world, nowMs: now, host: 'far.test' });
    const [kept, ended] = [far.fact({ entity: 'user:later-proven' }), far.fact({ entity: 'user:later-ended' })];
    await accepted(node, relay, [passedOn(kept, far), passedOn(ended, far)]);
    const value = { type: 'datetime', v: '2026-01-01T00:00:00Z' };
    await node.say({ entity: ended.id, relation: 'svc:ttl', value, scope: 'local' });
    await declareBoth(node, far);
    await accepted(node, relay, [passedOn(kept, far), passedOn(ended, far)]);
    const [fact, ...rest] = await shown(node, kept.entity, '&include_expired=true');
    expect([fact?.origin_id, rest]).to.deep.equal([kept.id, []]);
    expect((await byId(node, kept.id)).body).to.include({ id: fact?.id, origin_verified: true });
    expect(await shown(node, ended.entity)).to.deep.equal([]);
    expect(await shown(node, ended.entity, '&include_expired=true')).to.have.length(1);
    await accepted(node, relay, [passedOn(kept, far)]);
    expect(await shown(node, kept.entity, '&include_expired=true')).to.have.length(1);
    await far.stop();
  });

  it('are refused as a collision if one node states both', async () => {
    const [said] = factsOf(origin, 1) as [WireFact];
    await accepted(node, origin, [said]);
    const changed = { ...stripped(said), confidence: 0.5 };
    await refused(node, origin, { ...changed, origin_proof: origin.prove(changed) }, 'id_collision');
    await refused(node, thief, twisted(said), 'id_collision');
    const own = await node.say();
    await refused(node, thief, { ...twisted(said), id: own.id }, 'id_collision');
    expect(await federationEvents(node, 'id_collision')).not.to.deep.equal([]);
  });

  it('keep their local ids free: a peer cannot take one in advance', async () => {
    const [said] = factsOf(origin, 1) as [WireFact];
    await accepted(other, thief, [twisted(said)]);
    await accepted(other, origin, [said]);
    const [{ id: local } = { id: '' }] = await shown(other, said.entity);
    expect(local).not.to.equal(said.id);
    await accepted(node, thief, [twisted(said), { ...stripped(thief.fact()), id: local }]);
    await accepted(node, origin, [said]);
    expect(saying(await shown(node, said.entity))).to.deep.equal([[said.id, said.value.v, said.source, false]]);
  });

  it('are refused without a proof of the peer whose address their source lies under', async () => {
    const claim = thief.fact({ source: `${origin.nodeId}/agent/a` });
    await refused(node, thief, claim, 'source_not_owned');
    await refused(node, relay, passedOn(claim, thief), 'source_not_owned');
    await accepted(node, relay, [passedOn(origin.fact({ source: `${origin.nodeId}/agent/a` }), origin)]);
    await accepted(node, origin, [stripped(origin.fact({ source: origin.nodeId }))]);
  });
});
