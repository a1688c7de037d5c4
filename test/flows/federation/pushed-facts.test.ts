import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import type { Document } from '../../kit/federation/peer-identity.ts';
import { countsOf, declareBoth, federationEvents, has, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { type WireFact, wireCid } from '../../kit/federation/wire-fact.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestReply } from '../../kit/test-request.ts';

const SECOND_MS = 1_000;
const TUPLE = [
  'id',
  'entity',
  'relation',
  'value',
  'source',
  'timestamp',
  'hlc',
  'confidence',
  'scope',
  'valid_from',
  'valid_until',
  'derived_from',
] as const;

forEachStore('A fact that a peer pushes', () => {
  const world = createWorld();
  const now = (): number => world.clock.nowMs();
  let node: FederatedNode;
  let peer: TestPeer;
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
    peer = await startTestPeer({ ...world, nowMs: now });
    await declareBoth(node, peer);
  });
  after(async () => {
    await node?.stop();
    await peer?.stop();
  });
  const errorsOf = ({ body }: TestReply): Readonly<Record<string, string>> =>
    Object.fromEntries(body.errors.map(({ fact_id, error }: Record<string, string>) => [fact_id, error]));

  it('is stored unchanged, with its asserter and its origin', async () => {
    const said = peer.fact({
      value: { type: 'text', v: 'zoë \u2028 😀' },
      timestamp: '2026-03-02T09:00:00+01:00',
      valid_from: '2026-01-01T00:00:00.5+02:00',
      valid_until: '2027-01-01T00:00:00.5+02:00',
      derived_from: [`sha256:${'a'.repeat(64)}`],
      hlc: `0${now()}.0007`,
      confidence: 0.1,
    });
    const reply = await push(node, peer, [said]);
    expect(reply.status).to.equal(202);
    expect(reply.body).to.deep.equal({ accepted: 1, rejected: 0, errors: [] });
    const { body } = await node.get(`/v1/facts/${said.id}`);
    for (const name of TUPLE.filter((member) => member !== 'value')) {
      expect(body[name], name).to.deep.equal(said[name]);
    }
    expect(body.value).to.deep.equal({ ...said.value, interpret_as: 'content' });
    expect(body).to.include({ received_from: peer.nodeId, origin_node_id: peer.nodeId, cid: wireCid(said) });
    const meta = await node.get(`/v1/facts?entity=svc:fact:${said.id}`);
    expect(meta.body.facts).to.have.length(1);
    expect(meta.body.facts[0]).to.deep.include({
      relation: 'svc:received_from',
      value: { type: 'ref', v: peer.nodeId, interpret_as: 'content' },
      source: 'system:svc',
      scope: 'local',
      confidence: 1,
    });
  });

  it('may have any id of visible characters, and members unknown to this node', async () => {
    const ids = ['x', 'A/b?c#d%', '~'.repeat(128)];
    const facts = ids.map((id) => ({ ...peer.fact({ id }), next_version: { nested: [1] } }));
    expect((await push(node, peer, facts)).body).to.deep.equal({ accepted: 3, rejected: 0, errors: [] });
    for (const id of ids) {
      const { body } = await node.get(`/v1/facts/${encodeURIComponent(id)}`);
      expect(body.id).to.equal(id);
      expect(body).not.to.have.property('next_version');
    }
  });

  it('is processed like a local fact: it contradicts, is recalled and notified, but is not billed', async () => {
    const before = await countsOf(node, peer);
    const own = await node.say({ entity: 'user:met', relation: 'memory:role', value: { type: 'string', v: 'ours' } });
    const theirs = peer.fact({ entity: 'user:met', relation: 'memory:role', value: { type: 'string', v: 'theirs' } });
    expect((await push(node, peer, [theirs])).body.accepted).to.equal(1);
    const after = await countsOf(node, peer);
    expect(Number(after['conflicts']) - Number(before['conflicts'])).to.equal(1);
    expect(Number(after['billing']) - Number(before['billing'])).to.equal(1);
    const { body } = await node.get('/v1/facts?entity=user:met&relation=memory:role&include_contradicted=true');
    expect(body.facts.map(({ id }: WireFact) => id)).to.have.members([own.id, theirs.id]);
    expect(body.facts.every(({ contradicted }: { contradicted: boolean }) => contradicted)).to.equal(true);
    const told = peer.fact({ value: { type: 'text', v: 'heliotropes grow by the gate' } });
    await push(node, peer, [told]);
    expect((await node.get('/v1/recall?query=heliotropes&token_budget=4000')).text).to.contain(told.id);
  });

  it('is checked item by item when a stamp is malformed', async () => {
    const stamps = ['', '1', '1.2.3', '-1.0', '1e3.0', ' 1.0', '１.０', `${'9'.repeat(20)}.0`, '1.4294967296', 5, null];
    const bad = stamps.map((hlc) => ({ ...peer.fact(), hlc }));
    const good = peer.fact();
    const reply = await push(node, peer, [...bad, good]);
    expect(reply.body).to.deep.include({ accepted: 1, rejected: bad.length });
    expect(new Set(Object.values(errorsOf(reply)))).to.deep.equal(new Set(['invalid_fact']));
    expect(await has(node, good.id)).to.equal(true);
  });

  it('cannot push the clock forward, at once or in steps', async () => {
    const wallOf = async (): Promise<number> => Number(String((await node.say()).hlc).split('.')[0]);
    await push(node, peer, [{ ...peer.fact(), hlc: `${now() + 86_400_000}.0`, origin_proof: undefined }]);
    expect(await wallOf()).to.be.at.most(now() + 5 * SECOND_MS);
    for (let n = 0; n < 30; n += 1) await push(node, peer, [peer.fact({ hlc: `${now() + 290 * SECOND_MS}.${n}` })]);
    expect(await wallOf()).to.be.at.most(now() + 301 * SECOND_MS);
    expect(await federationEvents(node, 'peer_hlc_anomaly')).not.to.have.length(0);
    await world.clock.advance(300 * SECOND_MS);
  });

  it('with the same id and content is a duplicate, and with other content a collision', async () => {
    const fact = peer.fact({ valid_until: '2026-06-01T00:00:00Z' });
    await push(node, peer, [fact]);
    const before = await countsOf(node, peer);
    expect((await push(node, peer, [fact, fact])).body).to.deep.equal({ accepted: 2, rejected: 0, errors: [] });
    const changes: readonly Document[] = [
      { value: { type: 'string', v: 'other' } },
      { confidence: 0.5 },
      { source: 'agent:other' },
      { timestamp: '2026-03-01T09:00:00.000Z' },
      { hlc: `${now()}.9` },
      { derived_from: [`sha256:${'b'.repeat(64)}`] },
      { value: { ...fact.value, interpret_as: 'instruction' } },
    ];
    for (const change of changes) {
      const reply = await push(node, peer, [peer.fact({ ...fact, origin_proof: undefined, ...change })]);
      expect(errorsOf(reply), JSON.stringify(change)).to.deep.equal({ [fact.id]: 'id_collision' });
    }
    expect(await federationEvents(node, 'id_collision')).to.have.length(changes.length);
    expect(await countsOf(node, peer)).to.deep.equal(before);
  });

  it('never lives longer than its first version allows', async () => {
    const fact = peer.fact({ valid_until: '2026-06-01T00:00:00Z' });
    await push(node, peer, [fact]);
    const audited = (await federationEvents(node, 'federation_valid_until_extension_rejected')).length;
    for (const valid_until of ['2026-07-01T00:00:00Z', null]) {
      const { origin_proof: _, ...rest } = fact;
      const reply = await push(node, peer, [peer.fact({ ...rest, valid_until })]);
      expect(reply.body, String(valid_until)).to.include({ accepted: 1, rejected: 0 });
    }
    expect((await node.get(`/v1/facts/${fact.id}`)).body.valid_until).to.equal('2026-06-01T00:00:00Z');
    const events = await federationEvents(node, 'federation_valid_until_extension_rejected');
    expect(events.length - audited).to.equal(2);
  });

  it('never begins earlier than its first version allows', async () => {
    const fact = peer.fact({ valid_from: '2026-01-01T00:00:00Z' });
    await push(node, peer, [fact]);
    const audited = (await federationEvents(node, 'federation_valid_until_extension_rejected')).length;
    const { origin_proof: _, valid_from: __, ...rest } = fact;
    for (const change of [{ valid_from: '2025-12-31T23:59:59Z' }, {}]) {
      const reply = await push(node, peer, [peer.fact({ ...rest, ...change })]);
      expect(reply.body).to.include({ accepted: 1, rejected: 0 });
    }
    expect((await node.get(`/v1/facts/${fact.id}`)).body.valid_from).to.equal('2026-01-01T00:00:00Z');
    const events = await federationEvents(node, 'federation_valid_until_extension_rejected');
    expect(events.length - audited).to.equal(2);
  });

  it('with the same content under another id is a separate fact, and no contradiction', async () => {
    const [one, two] = [peer.fact({ relation: 'memory:same' }), peer.fact({ relation: 'memory:same' })];
    expect((await push(node, peer, [one, two])).body.accepted).to.equal(2);
    const { body } = await node.get(`/v1/facts?entity=${one.entity}&relation=memory:same`);
    expect(body.total).to.equal(2);
    expect(body.facts.some(({ contradicted }: { contradicted: boolean }) => contradicted)).to.equal(false);
  });

  it('twice in one batch is stored once, and of two versions of one id only one is accepted', async () => {
    const fact = peer.fact();
    const { origin_proof: _, ...rest } = fact;
    const twisted = peer.fact({ ...rest, confidence: 0.5 });
    const reply = await push(node, peer, [fact, fact, twisted]);
    expect(reply.body).to.deep.equal({
      accepted: 2,
      rejected: 1,
      errors: [{ fact_id: fact.id, error: 'id_collision' }],
    });
    expect((await node.get(`/v1/facts/${fact.id}`)).body.confidence).to.equal(1);
  });

  it('changes nothing when it is repeated (I10)', async () => {
    const batch = Array.from({ length: 20 }, (_, n) =>
      peer.fact({ relation: 'memory:pile', value: { type: 'number', v: n } }),
    );
    const before = await countsOf(node, peer);
    await push(node, peer, batch);
    const once = await countsOf(node, peer);
    expect(Number(once['receivedFrom']) - Number(before['receivedFrom'])).to.equal(20);
    for (let n = 0; n < 9; n += 1) expect((await push(node, peer, batch)).body.accepted).to.equal(20);
    expect(await countsOf(node, peer)).to.deep.equal(once);
  });

  it('is refused as a whole when the body is no list, or too long', async () => {
    const send = (body: unknown): Promise<TestReply> =>
      node.request('POST', '/v1/federation/facts/push', { key: peer.token(node.nodeId), body });
    for (const body of [{}, { facts: {} }, { facts: null }, { facts: 'x' }]) {
      expect((await send(body)).status, JSON.stringify(body)).to.equal(422);
    }
    expect((await send('[')).status).to.equal(400);
    const facts = Array.from({ length: 501 }, () => peer.fact());
    expect((await send({ facts })).status).to.equal(413);
    expect((await send(`{"facts":["${'x'.repeat(17 * 1024 * 1024)}"]}`)).status).to.equal(413);
    expect((await send({ facts: [], sender_hlc: `${now()}.0` })).status).to.equal(202);
    expect(await has(node, (facts[0] as WireFact).id)).to.equal(false);
  });

  it('gets an error per item, not for the whole call, when no scope is granted', async () => {
    const wide = await startTestPeer({ ...world, nowMs: now, host: 'wide.test' });
    await declareBoth(node, wide, {}, { scopes: ['public', 'company', 'team', 'local'] });
    const facts = ['public', 'company', 'team', 'local'].map((scope) => wide.fact({ scope }));
    const widened = await push(node, wide, facts, { scopes: ['public', 'company', 'team', 'local'] });
    expect(widened.status).to.equal(202);
    expect(widened.body).to.include({ accepted: 1, rejected: 3 });
    expect(new Set(Object.values(errorsOf(widened)))).to.deep.equal(new Set(['scope_not_permitted']));
    const none = await push(node, wide, [wide.fact()], { scopes: ['company'] });
    expect(none.body).to.include({ accepted: 0, rejected: 1 });
    const taker = await startTestPeer({ ...world, nowMs: now, host: 'taker.test' });
    await declareBoth(node, taker, { direction: 'outbound' }, { direction: 'inbound' });
    expect((await push(node, taker, [taker.fact()])).body).to.include({ accepted: 0, rejected: 1 });
    await wide.stop();
    await taker.stop();
  });
});
