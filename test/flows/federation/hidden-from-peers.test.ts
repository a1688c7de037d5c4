import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import type { Document } from '../../kit/federation/peer-identity.ts';
import { declareBoth, drain, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestReply } from '../../kit/test-request.ts';

const BOTH = { scopes: ['public', 'company'] };
/** A text in every object that the peer must not get. */
const CANARY = 'CANARY';
const OPEN = 'OPEN';

const text = (v: string): Document => ({ type: 'string', v });

forEachStore('A node with every kind of object', () => {
  const world = createWorld();
  let node: FederatedNode;
  let peer: TestPeer;
  let other: TestPeer;
  const ask = async (method: string, target: string, body?: unknown, key = node.key): Promise<TestReply> => {
    const reply = await node.request(method, target, { key, ...(body === undefined ? {} : { body }) });
    expect(reply.status, `${method} ${target}: ${reply.text}`).to.be.within(200, 299);
    return reply;
  };

  const fill = async (): Promise<void> => {
    for (const scope of ['local', 'team']) await node.say({ scope, value: text(`${CANARY} ${scope}`) });
    for (const scope of ['public', 'company']) {
      const { body } = await ask('POST', '/v1/gardens', { slug: `g-${scope}`, name: CANARY, scope });
      const garden_id = body.garden_id ?? body.id;
      await node.say({ scope, garden_id, entity: `user:${CANARY}`, value: text(CANARY), source: `agent:${CANARY}` });
      await node.say({ scope, value: text(OPEN) });
    }
    const rivals = { entity: 'user:met', relation: 'memory:role' };
    const winner = await node.say({ ...rivals, value: text(OPEN) });
    await node.say({ ...rivals, value: text(`${OPEN} too`) });
    const conflicts = await node.get('/v1/conflicts?status=unresolved');
    const conflictId = conflicts.body.conflicts[0].conflict_id ?? conflicts.body.conflicts[0].id;
    await ask('POST', `/v1/conflicts/${conflictId}/resolve`, { winning_fact_id: winner.id, resolution_note: CANARY });
    await ask('POST', '/v1/facts', {
      entity: winner.id,
      relation: 'svc:ttl',
      value: { type: 'datetime', v: '2027-01-01T00:00:00Z' },
      source: `agent:${CANARY}`,
    });
    await ask('PUT', '/v1/agents/a1/instruction-manifest', {
      version: 'v1',
      entries: [{ name: 'u', description: CANARY, fact_uri: 'instruction:default/agent/a1/u/v1' }],
      skip_coverage_gate: true,
    });
    const hidden = await node.addKey({ entityUri: `agent:${CANARY}` });
    const body = { entity: 'user:x', relation: 'memory:x', value: text(OPEN), source: 'agent:x', scope: 'public' };
    const headers = { 'Svc-Session': CANARY };
    expect((await node.request('POST', '/v1/facts', { key: hidden, body, headers })).status).to.equal(201);
    const elsewhere = await node.addKey({ tenantId: 'other-tenant' });
    await ask('POST', '/v1/facts', { ...body, value: text(CANARY) }, elsewhere);
    await ask('GET', '/v1/cards/user:x?scope=public');
  };

  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world, env: { SVC_MULTI_TENANT_ENABLED: 'true' } });
    peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    other = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host: 'other.test' });
    for (const each of [peer, other]) await declareBoth(node, each, BOTH, BOTH);
    await fill();
  });
  after(async () => {
    for (const each of [node, peer, other]) await each?.stop();
  });

  it('sends a peer no byte of anything private (I9)', async () => {
    const fromPeer = peer.fact({ value: text(CANARY) });
    const company = other.fact({ scope: 'company', value: text(CANARY) });
    const { origin_proof: _, ...bare } = peer.fact({ value: text(CANARY) });
    const roundabout = { ...bare, origin_node_id: peer.nodeId, origin_proof: peer.prove(bare) };
    expect((await push(node, peer, [fromPeer])).body.accepted).to.equal(1);
    expect((await push(node, other, [company, roundabout])).body).to.deep.include({ accepted: 2 });
    for (const limit of [500, 3]) {
      const { text: sent, facts } = await drain(node, peer, { limit });
      expect(sent).not.to.contain(CANARY);
      expect(sent).not.to.contain('svc:');
      expect(facts.filter(({ value }) => value.v === OPEN)).to.have.length.of.at.least(4);
    }
    for (const scope of ['public', 'company']) {
      expect((await drain(node, peer, { scope })).text).not.to.contain(CANARY);
    }
  });

  it('passes the public facts of one peer to another', async () => {
    const said = peer.fact({ value: text(OPEN) });
    await push(node, peer, [said]);
    const { facts } = await drain(node, other);
    expect(facts.find(({ id }) => id === said.id)).to.include({ origin_node_id: peer.nodeId });
  });

  it('reveals nothing of a hidden fact to a peer by the way it refuses a push', async () => {
    const kept = await node.say({ scope: 'local', value: text(CANARY) });
    const { origin_proof: _, ...bare } = peer.fact({ id: kept.id });
    const reply = await push(node, peer, [bare]);
    expect(reply.text).not.to.contain(CANARY);
    expect((await node.get(`/v1/facts/${kept.id}`)).body.value.v).to.equal(CANARY);
  });
});

forEachStore('An instruction that a peer pushes', () => {
  it('stays in the quarantine garden, and is relayed to no other node (I9)', async () => {
    const world = createWorld();
    const start = (env: Record<string, string> = {}): Promise<FederatedNode> =>
      startFederatedNode({ name: 'n', ...world, env });
    const node = await start({ SVC_QUARANTINE_GARDEN_ID: 'quarantine' });
    const [peer, other] = (await Promise.all(
      ['p.test', 'q.test'].map((host) => startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host })),
    )) as [TestPeer, TestPeer];
    try {
      const garden = { slug: 'quarantine', name: 'Quarantine', scope: 'public', quarantine: true };
      expect((await node.request('POST', '/v1/gardens', { key: node.key, body: garden })).status).to.equal(201);
      await declareBoth(node, peer);
      await declareBoth(node, other);
      const order = peer.fact({ value: { type: 'text', v: CANARY, interpret_as: 'instruction' } });
      expect((await push(node, peer, [order])).body).to.deep.include({ accepted: 1, rejected: 0 });
      expect((await drain(node, other)).text).not.to.contain(CANARY);
      const reader = await node.addKey();
      expect((await node.request('GET', `/v1/facts/${order.id}`, { key: reader })).status).to.equal(404);
      const { body } = await node.get(`/v1/facts/${order.id}`);
      expect(body).to.include({ id: order.id, quarantine_status: 'pending', received_from: peer.nodeId });
      expect((await push(node, peer, [order])).body).to.deep.include({ accepted: 1, rejected: 0 });
    } finally {
      for (const each of [node, peer, other]) await each.stop();
    }
  });
});
