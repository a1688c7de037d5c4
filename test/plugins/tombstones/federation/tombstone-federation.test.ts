import { expect } from 'chai';
import { NodeSelf, nodePrincipal, ServedTenants } from '../../../../kernel/plugin-api.ts';
import { TombstoneFollows } from '../../../../plugins/tombstones/federation/follow-peer.ts';
import { FactStore } from '../../../../ports/ports.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../../kit/federation/federated-node.ts';
import type { Document, PeerIdentity } from '../../../kit/federation/peer-identity.ts';
import { declareBoth, drain, peerUp, push } from '../../../kit/federation/peering-steps.ts';
import { signedTombstone } from '../../../kit/federation/signed-tombstone.ts';
import type { WireFact } from '../../../kit/federation/wire-fact.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';

const PATH = '/v1/federation/tombstones';
const HOUR_MS = 3_600_000;
const SETTINGS = { tombstones: { enabled: true } };
const PLUGINS = [
  ...['audit', 'capability-tokens', 'conflicts', 'facts', 'federation', 'gardens', 'jobs', 'keys', 'node-info'],
  ...['source-trust', 'tombstones'],
];

forEachStore('tombstones between nodes', () => {
  let a: FederatedNode;
  let b: FederatedNode;
  const world = createWorld();
  beforeEach(async () => {
    a = await startFederatedNode({ name: 'a', ...world, plugins: PLUGINS, settings: SETTINGS });
    b = await startFederatedNode({ name: 'b', ...world, plugins: PLUGINS, settings: SETTINGS });
    await peerUp(a, b);
  });
  afterEach(async () => {
    await b?.stop();
    await a?.stop();
  });

  const on = (node: FederatedNode, method: string, path: string, body?: unknown) =>
    node.request(method, path, { key: node.key, ...(body === undefined ? {} : { body }) });
  const tombstone = async (node: FederatedNode, body: object): Promise<Record<string, string>> => {
    const reply = await on(node, 'POST', '/v1/tombstones', body);
    expect(reply.status, reply.text).to.equal(201);
    return reply.body;
  };
  const revoke = (node: FederatedNode, id: string | undefined) =>
    on(node, 'POST', `/v1/tombstones/${id}/revoke`, { reason: 'a mistake' });
  const capability = async (members: object = {}): Promise<string> => {
    const body = {
      issuer: 'agent:owner-of-a',
      subject: b.nodeId,
      verb: 'tombstone:read',
      object: 'public',
      ...members,
    };
    const reply = await on(a, 'POST', '/v1/federation/capability-tokens', body);
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.token_json;
  };
  const ask = (token: string | undefined, query = '') =>
    a.request('GET', `${PATH}${query}`, {
      key: b.identity.token(a.nodeId),
      headers: token === undefined ? {} : { 'X-Svc-Capability': token },
    });
  const follow = async (members: object = {}): Promise<void> => {
    const { body } = await b.get('/v1/federation/peers');
    const peer = body.peers.find(({ node_id }: { node_id: string }) => node_id === a.nodeId);
    const follows = b.kernel.get(TombstoneFollows);
    await follows.follow(nodePrincipal(b.kernel.get(NodeSelf).names), peer.peer_id, await capability(members));
  };
  const has = async (node: FederatedNode, id: string) => (await node.get(`/v1/facts/${id}`)).status === 200;
  const soon = (holds: () => Promise<boolean>) =>
    comesTrue(async () => {
      await world.clock.advance(1_000);
      return holds();
    });
  const rowsOf = (node: FederatedNode, table: string) => node.kernel.get(FactStore).table(table);

  it('are served to peers with a peer token and a capability token', async () => {
    expect((await a.request('GET', PATH, {})).status).to.equal(401);
    expect((await a.request('GET', PATH, { key: a.key })).status).to.equal(401);
    expect((await ask(undefined)).status).to.equal(403);
    expect((await ask(await capability({ verb: 'read' }))).status).to.equal(403);
    expect((await ask(await capability({ subject: 'svc://c.test' }))).status).to.equal(403);
    expect((await ask(await capability({ object: 'user:alice' }))).status).to.equal(403);
    expect((await ask('{}')).status).to.equal(403);
    const reply = await ask(await capability());
    expect([reply.status, reply.body.tombstones]).to.deep.equal([200, []]);
    expect((await ask(await capability(), '?since=x')).status).to.equal(400);
  });

  it('are served to a peer with several scopes if its capability token covers one of them', async () => {
    const c = await startFederatedNode({ name: 'c', ...world, plugins: PLUGINS, settings: SETTINGS });
    try {
      await peerUp(a, c, { scopes: ['company', 'public'] });
      for (const object of ['public', 'company']) {
        const token = await capability({ subject: c.nodeId, object });
        const headers = { 'X-Svc-Capability': token };
        const reply = await a.request('GET', PATH, { key: c.identity.token(a.nodeId), headers });
        expect(reply.status, `${object} ${reply.text}`).to.equal(200);
      }
    } finally {
      await c.stop();
    }
  });

  it('are not served to a peer without facts to hide', async () => {
    await a.say({ entity: 'user:local', scope: 'local' });
    await a.say({ entity: 'user:company', scope: 'company' });
    await a.say({ entity: 'user:told' });
    for (const entity of ['user:local', 'user:company', 'user:nobody']) await tombstone(a, { entity_uri: entity });
    await tombstone(a, { entity_uri: 'user:told', scope: 'local' });
    const token = await capability();
    expect((await ask(token)).body.tombstones).to.deep.equal([]);
    const told = await tombstone(a, { entity_uri: 'user:told' });
    const { body } = await ask(token);
    expect(body.tombstones).to.deep.equal([{ ...told, erase: false, revocation: null }]);
    expect((await ask(token, `?since=${body.cursor}`)).body.tombstones).to.deep.equal([]);
    expect((await ask(token, '?limit=2')).body.has_more).to.equal(true);
    const { body: revocation } = await revoke(a, told['id']);
    const after = await ask(token, `?since=${body.cursor}`);
    expect(after.body.tombstones).to.deep.equal([{ ...told, erase: false, revocation }]);
  });

  it('hide only the facts of their issuer on a peer that follows the issuer', async () => {
    const theirs = await a.say({ entity: 'user:gone' });
    const ours = await b.say({ entity: 'user:gone' });
    await soon(() => has(b, theirs.id));
    await follow();
    const marker = await tombstone(a, { entity_uri: 'user:Gone' });
    await soon(async () => !(await has(b, theirs.id)));
    expect(await has(b, ours.id)).to.equal(true);
    const { body } = await b.get('/v1/tombstones/user:gone');
    expect(body.tombstones).to.deep.equal([marker]);
    const { body: log } = await b.get('/v1/auth/audit?event_type=tombstone_federation_ingested');
    expect(log.entries).to.have.lengthOf(1);
    expect(log.entries[0].detail).to.deep.equal({ tombstone_id: marker['id'], peer: a.nodeId, is_revoked: false });
  });

  it('are read within an hour by a node whose clock was a day ahead and is set back', async () => {
    const theirs = await a.say({ entity: 'user:gone' });
    await soon(() => has(b, theirs.id));
    await follow();
    await rowsOf(b, 'tombstones_follows').update({ due_ms: world.clock.nowMs() + 24 * HOUR_MS });
    await tombstone(a, { entity_uri: 'user:gone' });
    const endMs = world.clock.nowMs() + HOUR_MS;
    await soon(async () => world.clock.nowMs() > endMs || !(await has(b, theirs.id)));
    expect(await has(b, theirs.id)).to.equal(false);
  });

  it('are read from the start once peering and capability token cover a further scope', async () => {
    const inside = await a.say({ entity: 'user:inside', scope: 'company' });
    const outside = await a.say({ entity: 'user:outside' });
    // A newer declaration must be signed later than the one on file.
    await world.clock.advance(1_000);
    await peerUp(a, b, { scopes: ['public', 'company'] });
    await soon(async () => (await has(b, inside.id)) && (await has(b, outside.id)));
    await follow();
    for (const entity_uri of ['user:inside', 'user:outside']) await tombstone(a, { entity_uri });
    await soon(async () => !(await has(b, outside.id)));
    expect(await has(b, inside.id)).to.equal(true);
    await follow({ object: 'company' });
    await soon(async () => !(await has(b, inside.id)));
  });

  it('do not prevent an erasure on a peer by their legal hold', async () => {
    const theirs = await a.say({ entity: 'user:held' });
    const ours = await b.say({ entity: 'user:held' });
    await soon(() => has(b, theirs.id));
    await follow();
    await tombstone(a, { entity_uri: 'user:held', legal_hold: true });
    await soon(async () => (await b.get('/v1/tombstones/user:held')).body.tombstones.length === 1);
    expect(await has(b, ours.id)).to.equal(true);
    const { id } = await tombstone(b, { entity_uri: 'user:held' });
    const erased = await on(b, 'POST', `/v1/tombstones/${id}/erase`, { confirm: 'user:held' });
    expect(erased.status, erased.text).to.equal(200);
    expect(erased.body.erased.facts).to.equal(2);
  });

  it('are not pulled for a suspended tenant, and a failing peer does not stop other peers', async () => {
    const theirs = await a.say({ entity: 'user:gone' });
    await soon(() => has(b, theirs.id));
    await follow();
    await rowsOf(b, 'tombstones_follows').update({ capability: 'no\nheader' });
    await soon(async () => {
      const [row] = (await rowsOf(b, 'tombstones_follows')) as { failures: number | string }[];
      return Number(row?.failures) > 0;
    });
    b.kernel.get(ServedTenants).rest(new Set(['default']));
    await follow();
    await tombstone(a, { entity_uri: 'user:gone' });
    for (let passed = 0; passed < 60; passed += 1) await world.clock.advance(1_000);
    expect(await has(b, theirs.id)).to.equal(true);
    b.kernel.get(ServedTenants).rest(new Set());
    await soon(async () => !(await has(b, theirs.id)));
  });

  it('release all facts when revoked, also those not served to a peer in the meantime', async () => {
    const first = await a.say({ entity: 'user:back' });
    await soon(() => has(b, first.id));
    await follow();
    const marker = await tombstone(a, { entity_uri: 'user:back' });
    const withheld = await a.say({ entity: 'user:back' });
    const other = await a.say({ entity: 'user:other' });
    // The pull cursor of the peer has passed the hidden fact.
    await soon(async () => (await has(b, other.id)) && !(await has(b, first.id)));
    expect(await has(b, withheld.id)).to.equal(false);
    expect((await revoke(a, marker['id'])).status).to.equal(200);
    await soon(async () => (await has(b, first.id)) && (await has(b, withheld.id)));
    expect((await revoke(b, marker['id'])).status).to.equal(409);
  });

  it('are revoked also on a peer that does not follow their issuer, and release all facts', async () => {
    const marker = await tombstone(a, { entity_uri: 'user:late' });
    const withheld = await a.say({ entity: 'user:late' });
    const other = await a.say({ entity: 'user:other' });
    await soon(() => has(b, other.id));
    expect(await has(b, withheld.id)).to.equal(false);
    await revoke(a, marker['id']);
    await soon(() => has(b, withheld.id));
  });

  const forged = (signer: PeerIdentity, changes: Document = {}) =>
    signedTombstone(signer, world.clock.nowMs(), changes);

  it('are rejected without the signature of their issuer, and parked if the issuer is unknown', async () => {
    const fact = await a.say({ entity: 'user:forged' });
    await soon(() => has(b, fact.id));
    const issuer = a.identity;
    const stranger = { ...issuer, nodeId: 'svc://stranger.test' };
    const liar = { ...b.identity, nodeId: a.nodeId, keyId: a.identity.keyId };
    await follow();
    const bad = forged(liar, { id: 'tomb_00000000-0000-4000-8000-000000000002' });
    const unknown = forged(stranger, { id: 'tomb_00000000-0000-4000-8000-000000000003' });
    const epoch = 'e';
    await a.stop();
    const listener = await world.network.transport(a.url).serve({
      endpoints: [
        {
          method: 'GET',
          path: PATH,
          handle: async () => ({
            status: 200,
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ tombstones: [bad, unknown, { id: 5 }], cursor: '1.0', has_more: false, epoch }),
          }),
        },
      ],
      unmatched: async () => ({ status: 404, headers: {}, body: '' }),
    });
    await soon(async () => (await rowsOf(b, 'tombstones_parked')).length > 0);
    const rejected = async () => (await b.get('/v1/auth/audit?event_type=tombstone_federation_rejected')).body.total;
    await soon(async () => (await rejected()) >= 2);
    expect(await rowsOf(b, 'tombstones_markers')).to.deep.equal([]);
    expect(await has(b, fact.id)).to.equal(true);
    await listener.close(0);
  });

  it('are identified by issuer and id, even if a peer with copies of their facts used that id first (I14)', async () => {
    const fact = await a.say({ entity: 'user:squatted' });
    const rival = await startFederatedNode({ name: 'c', ...world, plugins: PLUGINS, settings: SETTINGS });
    await declareBoth(b, rival.identity);
    const [wire] = (await drain(a, b.identity)).facts;
    const { origin_proof: _proof, ...copy } = wire as WireFact;
    expect((await push(b, rival.identity, [copy])).body.accepted).to.equal(1);
    await soon(async () => (await b.get(`/v1/facts/${fact.id}`)).body.origin_node_id === a.nodeId);
    await follow();
    const id = 'tomb_00000000-0000-4000-8000-000000000009';
    const about = { id, entity_uri: 'user:squatted' };
    const [squat, honest] = [forged(rival.identity, about), forged(a.identity, about)];
    const served: unknown[] = [squat];
    await a.stop();
    const page = async () => {
      const body = { tombstones: served, cursor: `${served.length}.0`, has_more: false, epoch: 'e' };
      return { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    };
    const listener = await world.network.transport(a.url).serve({
      endpoints: [{ method: 'GET', path: PATH, handle: page }],
      unmatched: async () => ({ status: 404, headers: {}, body: '' }),
    });
    const markers = async () => (await rowsOf(b, 'tombstones_markers')).length;
    await soon(async () => (await markers()) === 1);
    expect(await has(b, fact.id)).to.equal(true);
    served.push(honest);
    await soon(async () => (await markers()) === 2);
    expect(await has(b, fact.id)).to.equal(false);
    expect((await b.get('/v1/facts?entity=user:squatted&include_expired=true')).body.facts).to.deep.equal([]);
    const { tombstones } = (await b.get('/v1/tombstones/user:squatted')).body;
    const shown = tombstones.map((one: Record<string, string>) => [one['origin_id'] ?? one['id'], one['signed_by']]);
    expect(shown).to.have.deep.members([
      [id, a.nodeId],
      [id, rival.nodeId],
    ]);
    const local = tombstones.find((one: Record<string, string>) => one['signed_by'] === a.nodeId)['id'];
    expect((await revoke(b, local)).status).to.equal(200);
    expect(await has(b, fact.id)).to.equal(true);
    await listener.close(0);
    await rival.stop();
  });
});
