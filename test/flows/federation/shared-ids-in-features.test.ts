import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { declareBoth, has, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import type { WireFact } from '../../kit/federation/wire-fact.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { exportLines, importAll } from '../../plugins/transfer/transfer-node.ts';

const stripped = ({ origin_proof: _proof, ...fact }: WireFact): WireFact => fact;

forEachStore('Two facts of different nodes with one id, in other features', () => {
  const world = createWorld();
  const now = (): number => world.clock.nowMs();
  let node: FederatedNode;
  let origin: TestPeer;
  let rival: TestPeer;
  let entities = 0;
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
    origin = await startTestPeer({ ...world, nowMs: now, host: 'origin.test' });
    rival = await startTestPeer({ ...world, nowMs: now, host: 'rival.test' });
    for (const peer of [origin, rival]) await declareBoth(node, peer);
  });
  after(async () => {
    for (const each of [node, origin, rival]) await each?.stop();
  });
  const ask = (method: string, path: string, body?: unknown) =>
    node.request(method, path, { key: node.key, ...(body === undefined ? {} : { body }) });
  const listOf = async (at: FederatedNode, entity: string, query = '') =>
    (await at.get(`/v1/facts?entity=${entity}&include_contradicted=true${query}`)).body.facts;

  /** Lets two peers sign different facts under one id. Returns both, the one with the local id second. */
  const makeTwo = async () => {
    entities += 1;
    const entity = `user:two-${entities}`;
    const said = origin.fact({ entity, value: { type: 'ref', v: `project:one-${entities}` } });
    const other = { ...stripped(said), source: 'agent:rival', value: { type: 'ref', v: `project:other-${entities}` } };
    const pushed = await push(node, origin, [said]);
    expect(pushed.body.accepted, pushed.text).to.equal(1);
    const second = await push(node, rival, [{ ...other, origin_proof: rival.prove(other) }]);
    expect(second.body.accepted, second.text).to.equal(1);
    const facts: { id: string; origin_id?: string; cid: string }[] = await listOf(node, entity);
    const local = facts.find(({ origin_id }) => origin_id === said.id);
    expect(facts, JSON.stringify(facts)).to.have.length(2);
    expect(local?.id).not.to.equal(said.id);
    return { entity, id: said.id, localId: local?.id ?? '', cid: local?.cid };
  };

  it('are both found by their local ids, on pages, by recall, in cards, and as edges', async () => {
    const { entity, id, localId, cid } = await makeTwo();
    for (const each of [id, localId]) {
      expect((await node.get(`/v1/facts/${encodeURIComponent(each)}`)).body.id).to.equal(each);
      expect((await node.get(`/v1/facts/${encodeURIComponent(each)}/provenance`)).body.fact_id).to.equal(each);
      expect((await node.get(`/v1/facts/${encodeURIComponent(each)}/history`)).status).to.equal(200);
    }
    expect((await node.get(`/v1/facts/${cid}`)).body.id).to.equal(localId);
    const first = (await node.get(`/v1/facts?entity=${entity}&include_contradicted=true&limit=1`)).body;
    const second = await listOf(
      node,
      entity,
      `&limit=1&cursor=${encodeURIComponent(first.next_cursor ?? first.cursor)}`,
    );
    expect(new Set([...first.facts, ...second].map((fact) => fact.id))).to.deep.equal(new Set([id, localId]));
    const asked = { query: `Who is ${entity}?`, token_budget: 2_000, include_contradicted: true };
    const recalled = await ask('POST', '/v1/recall', asked);
    expect(recalled.status, recalled.text).to.equal(200);
    const found = recalled.body.facts.map(({ fact }: { fact: { id: string } }) => fact.id);
    expect(found, recalled.text).to.include.members([id, localId]);
    const card = await node.get(`/v1/cards/${encodeURIComponent(entity)}?scope=public`);
    const hashes = [id, localId].map((each) => createHash('sha256').update(each).digest('hex'));
    expect(card.body.fact_hashes, card.text).to.have.members(hashes);
    const { text } = await node.get(`/v1/graph/neighbors?entity=${entity}`);
    for (const each of [`project:one-${entities}`, `project:other-${entities}`]) expect(text).to.include(each);
  });

  it('end separately by a time to live, and a reference names only one of them', async () => {
    const { entity, id, localId, cid } = await makeTwo();
    const child = await node.say({ entity: 'user:child', derived_from: [{ fact_id: localId }] });
    expect(child['derived_from']).to.deep.equal([cid]);
    const value = { type: 'datetime', v: '2026-01-01T00:00:00Z' };
    await node.say({ entity: localId, relation: 'svc:ttl', value, scope: 'local' });
    expect((await listOf(node, entity)).map((fact: { id: string }) => fact.id)).to.deep.equal([id]);
  });

  it('contradict each other, and a resolution names the winner by its own id', async () => {
    const { entity, localId } = await makeTwo();
    const { body } = await node.get('/v1/conflicts?limit=50');
    const conflict = body.conflicts.find((one: unknown) => JSON.stringify(one).includes(localId));
    expect(conflict, JSON.stringify(body)).not.to.equal(undefined);
    const path = `/v1/conflicts/${encodeURIComponent(conflict.id ?? conflict.conflict_id)}/resolve`;
    const resolved = await ask('POST', path, { winning_fact_id: localId });
    expect(resolved.status, resolved.text).to.be.oneOf([200, 201]);
    const values = (await node.get(`/v1/facts?entity=${entity}`)).body.facts.map((fact: WireFact) => fact.value.v);
    expect(values).to.deep.equal([`project:other-${entities}`]);
  });

  it('move to another store with their origin ids, proofs and hidden copies', async () => {
    const { entity, id } = await makeTwo();
    const copied = origin.fact({ entity: 'user:copied' });
    await push(node, rival, [stripped(copied)]);
    await push(node, origin, [copied]);
    const there = await startFederatedNode({ name: 'there', ...world });
    const { refused } = await importAll(there, await exportLines(node), 50);
    expect(refused).to.deep.equal([]);
    for (const about of [entity, 'user:copied']) {
      const [here, moved] = [await listOf(node, about), await listOf(there, about)];
      expect(moved.map((fact: WireFact) => fact.id)).to.deep.equal(here.map((fact: WireFact) => fact.id));
      for (const fact of moved) expect(fact.origin_verified, fact.id).to.equal(true);
    }
    expect(await listOf(there, 'user:copied', '&include_expired=true')).to.have.length(1);
    await declareBoth(there, origin);
    expect((await push(there, origin, [copied])).body.accepted).to.equal(1);
    expect(await listOf(there, 'user:copied', '&include_expired=true')).to.have.length(1);
    expect(await has(there, id)).to.equal(true);
    await there.stop();
  });
});
