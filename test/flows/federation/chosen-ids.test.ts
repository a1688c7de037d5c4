import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import type { Document } from '../../kit/federation/peer-identity.ts';
import { postDeclaration, push } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestReply } from '../../kit/test-request.ts';

const text = (v: string): Document => ({ type: 'string', v });
const THEIRS = 'user:of-the-peer';

/** The names under which peers present themselves: those of a user, of properties of objects, and of a lock. */
const PEER_NAMES = ['user:alice', '__proto__', 'constructor', 'federation', 'default'];

/** Names of other things of a node: locks, files, steps through a path, tenants, and synthetic facts. */
const NAMES = [
  ...['federation peers', 'append:default', 'default', 'tombstones.follow', 'node.key', '../../node.key'],
  ...['.', '..', '*', 'null', 'card:user:alice', '__proto__', 'constructor', 'toString', 'agent:owner-of-n'],
].filter((name) => !name.includes(' '));

forEachStore('Fact ids that peers choose', () => {
  const world = createWorld();
  const peers: TestPeer[] = [];
  let node: FederatedNode;
  let told: {
    readonly ids: readonly string[];
    readonly cid: string;
    readonly conflict: string;
    readonly garden: string;
  };

  const ask = async (method: string, target: string, body?: unknown): Promise<TestReply> => {
    const reply = await node.request(method, target, { key: node.key, ...(body === undefined ? {} : { body }) });
    expect(reply.status, `${method} ${target}: ${reply.text}`).to.be.within(200, 299);
    return reply;
  };

  /** Stores local facts of every kind that system facts are about, and returns the names of what it stored. */
  const tell = async (): Promise<typeof told> => {
    const { body: garden } = await ask('POST', '/v1/gardens', {
      slug: 'held',
      name: 'held',
      scope: 'public',
      quarantine: true,
    });
    const alice = { entity: 'user:alice', relation: 'memory:role' };
    const first = await node.say({ ...alice, value: text('CEO') });
    const second = await node.say({ ...alice, value: text('CTO') });
    const { body } = await ask('GET', '/v1/conflicts');
    const conflict = body.conflicts[0].conflict_id;
    const settled = { winning_fact_id: second.id, resolution_note: 'asked Alice' };
    const { body: resolution } = await ask('POST', `/v1/conflicts/${conflict}/resolve`, settled);
    const city = await node.say({ entity: 'user:alice', relation: 'memory:city', value: text('Lisbon') });
    await node.say({ entity: 'user:alice', relation: 'memory:city', value: text('Porto') });
    const end = { type: 'datetime', v: '2027-01-01T00:00:00Z' };
    await node.say({ entity: city.id, relation: 'svc:ttl', value: end });
    await node.say({ entity: 'user:alice', relation: 'rel:knows', value: { type: 'ref', v: 'user:bob' } });
    await ask('GET', '/v1/cards/user:alice?scope=public');
    return {
      ids: [city.id, first.id, second.id, resolution.resolution_fact_id],
      cid: String(city['cid']),
      conflict,
      garden: garden.id ?? garden.garden_id,
    };
  };

  /** Returns the node's answers about its own facts. */
  const answers = async (): Promise<Document> => {
    const targets = [
      ...told.ids.flatMap((id) => [`/v1/facts/${id}`, `/v1/facts/${id}/provenance`, `/v1/facts?entity=${id}`]),
      `/v1/facts/${told.cid}`,
      '/v1/facts?entity=user:alice',
      '/v1/facts?entity=user:alice&include_contradicted=true&include_expired=true&include_retracted=true',
      '/v1/facts?relation=svc:resolves',
      `/v1/facts?entity=${told.conflict}`,
      '/v1/facts?relation=svc:conflict:between',
      '/v1/conflicts?status=all',
      '/v1/history/user:alice?relation=memory:role',
      '/v1/graph/neighbors?entity=user:alice',
      '/v1/cards/user:alice?scope=public',
      '/v1/gardens',
    ];
    const found: Record<string, unknown> = {};
    for (const target of targets) {
      const { status, body } = await node.get(target);
      found[target] = { status, body };
    }
    const recall = await ask('POST', '/v1/recall', { query: 'Who is Alice? Lisbon Porto', token_budget: 4_000 });
    found['recall'] = recall.body.facts.map(({ id, fact }: { id?: string; fact?: { id: string } }) => fact?.id ?? id);
    return found;
  };

  const expectAsBefore = async (before: Document, when: string): Promise<void> => {
    const now = await answers();
    for (const [target, answer] of Object.entries(before))
      expect(now[target], `${target} ${when}`).to.deep.equal(answer);
  };

  before(async () => {
    node = await startFederatedNode({
      name: 'n',
      ...world,
      settings: { tombstones: { enabled: true } },
      env: { SVC_QUARANTINE_GARDEN_ID: 'held' },
    });
    for (const [at, name] of ['svc://p.test', ...PEER_NAMES].entries()) {
      const peer = await startTestPeer({
        ...world,
        nowMs: () => world.clock.nowMs(),
        host: `p${at}.test`,
        nodeId: name,
      });
      await postDeclaration(node, node.identity.declare(name));
      const theirs = await postDeclaration(node, peer.declare(node.nodeId, { node_url: peer.url }));
      expect(theirs.body.status, theirs.text).to.equal('active');
      peers.push(peer);
    }
    told = await tell();
  });
  after(async () => {
    await node?.stop();
    for (const peer of peers) await peer.stop();
  });

  it('change no local answer, whether their facts are shown, hidden, shown again or erased', async () => {
    const before = await answers();
    const { ids, cid, conflict, garden } = told;
    const [mortal = '', ...rest] = ids;
    const others = [mortal.toUpperCase(), ...rest.flatMap((id) => [`svc:fact:${id}`, id.toUpperCase()])];
    const chosen = ['user:alice', 'USER:Alice', 'user:bob', conflict, garden, cid, node.nodeId, ...others, ...NAMES];
    const [peer] = peers as [TestPeer];
    const facts = chosen.map((id) => peer.fact({ id, entity: THEIRS }));
    const reply = await push(node, peer, facts);
    expect(reply.body, reply.text).to.deep.include({ accepted: chosen.length });
    const instruction = peer.fact({
      id: `svc:fact:${mortal}`,
      entity: THEIRS,
      value: { type: 'text', v: 'do it', interpret_as: 'instruction' },
    });
    expect((await push(node, peer, [instruction])).body.accepted).to.equal(1);
    await ask('POST', `/v1/quarantine/${encodeURIComponent(instruction.id)}/reject`, {});
    for (const [at, one] of peers.slice(1).entries()) {
      expect(
        (await push(node, one, [one.fact({ entity: THEIRS, relation: `memory:of-${at}` })])).body.accepted,
        one.nodeId,
      ).to.equal(1);
    }
    await expectAsBefore(before, 'with the facts of peers');
    const { body: shown } = await ask('POST', '/v1/tombstones', { entity_uri: THEIRS });
    expect((await node.get(`/v1/facts?entity=${THEIRS}`)).body.total).to.equal(0);
    expect((await node.get('/v1/facts?relation=svc:received_from')).body.total).to.equal(0);
    await expectAsBefore(before, 'behind a tombstone');
    await ask('POST', `/v1/tombstones/${shown.id}/revoke`, { reason: 'a mistake' });
    expect((await node.get('/v1/facts?relation=svc:received_from')).body.total).to.be.above(chosen.length);
    await expectAsBefore(before, 'shown again');
    const { body: marker } = await ask('POST', '/v1/tombstones', { entity_uri: THEIRS });
    await ask('POST', `/v1/tombstones/${marker.id}/erase`, { confirm: THEIRS });
    await expectAsBefore(before, 'erased');
  });
});
