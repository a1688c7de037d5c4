import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { declareBoth, postDeclaration, pull, push, refusalOf } from '../../kit/federation/peering-steps.ts';
import { startTestPeer, type TestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

const ROUTES = [
  ['GET', '/v1/federation/peers'],
  ['POST', '/v1/federation/peers'],
  ['GET', '/v1/federation/facts'],
  ['POST', '/v1/federation/facts'],
  ['POST', '/v1/federation/facts/push'],
  ['GET', '/v1/federation/audit'],
  ['DELETE', '/v1/federation/peers/00000000-0000-4000-8000-000000000000'],
] as const;

forEachStore('A node with federation switched off', () => {
  let folder: string;
  let peer: TestPeer;
  let off: FederatedNode;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switched-'));
    const world = createWorld();
    peer = await startTestPeer({ network: world.network, nowMs: () => world.clock.nowMs() });
    const on = await startFederatedNode({ name: 'n', ...world, folder });
    await declareBoth(on, peer);
    await on.stop();
    off = await startFederatedNode({ name: 'n', ...world, folder, env: { SVC_FEDERATION_ENABLED: 'false' } });
  });
  after(async () => {
    await off?.stop();
    await peer?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [method, path] of ROUTES) {
    it(`has ${method} ${path}, which requires a credential first`, async () => {
      const reply = await off.request(method, path, method === 'POST' ? { body: {} } : {});
      expect(reply.status).to.equal(401);
      expect(reply.body.code).to.be.a('string');
    });
  }

  it('lists the stored peers to a key with the federate permission', async () => {
    const reply = await off.get('/v1/federation/peers');
    expect(reply.status).to.equal(200);
    expect(reply.body.peers.map(({ node_id }: { node_id: string }) => node_id)).to.deep.equal([peer.nodeId]);
    const reader = await off.addKey();
    expect((await off.request('GET', '/v1/federation/peers', { key: reader })).status).to.equal(403);
  });

  it('checks a declaration before it replies that federation is off', async () => {
    expect((await postDeclaration(off, {})).status).to.equal(422);
    const sound = await postDeclaration(off, off.identity.declare('svc://q.test'));
    expect(refusalOf(sound)).to.include({ status: 403, code: 'federation_disabled' });
    expect((await off.get('/v1/federation/peers')).body.peers).to.have.length(1);
  });

  it('replies that federation is off to a peer with a valid token, and requires a token otherwise', async () => {
    expect(refusalOf(await pull(off, peer))).to.include({ status: 403, code: 'federation_disabled' });
    expect(refusalOf(await push(off, peer, []))).to.include({ status: 403, code: 'federation_disabled' });
    expect((await off.request('GET', '/v1/federation/facts', { key: off.key })).status).to.equal(401);
  });

  it('replies 405 to an unsupported method once the caller has a credential', async () => {
    const reply = await off.request('POST', '/v1/federation/facts', { key: off.key, body: {} });
    expect(reply.status).to.equal(405);
    expect(reply.headers['allow']).to.contain('GET');
  });

  it('does not pull', async () => {
    await off.clock.advance(120_000);
    expect(peer.pulls.length).to.equal(0);
  });

  it('states this in its metadata, and still publishes its key', async () => {
    const { body } = await off.request('GET', '/.well-known/svc');
    expect(body.federation).to.equal('disabled');
    expect(body.federation_pubkey).to.equal(off.identity.publicKey);
    expect(body).not.to.have.property('federation_version');
    expect(body).not.to.have.property('federation_endpoints');
  });
});

describe('A node with federation switched on', () => {
  it('publishes its routes and its keys', async () => {
    const node = await startFederatedNode({ name: 'n', ...createWorld() });
    const { body } = await node.request('GET', '/.well-known/svc');
    await node.stop();
    expect(body).to.deep.include({
      node_id: node.nodeId,
      federation: 'enabled',
      federation_pubkey: node.identity.publicKey,
      federation_version: '0.5',
      federation_endpoints: {
        peers: '/v1/federation/peers',
        facts: '/v1/federation/facts',
        push: '/v1/federation/facts/push',
      },
    });
    expect(body.federation_keys).to.have.length(1);
    expect(body.federation_keys[0]).to.include({
      key_id: node.identity.keyId,
      public_key: node.identity.publicKey,
      valid_until: null,
      signed_by: null,
    });
  });

  it('publishes no push address while pushes are off, and replies 405 to them', async () => {
    const world = createWorld();
    const peer = await startTestPeer({ network: world.network, nowMs: () => world.clock.nowMs() });
    const node = await startFederatedNode({ name: 'n', ...world, env: { SVC_FEDERATION_PUSH_ENABLED: 'false' } });
    await declareBoth(node, peer);
    expect((await node.request('GET', '/.well-known/svc')).body.federation_endpoints.push).to.equal(null);
    const reply = await push(node, peer, [peer.fact()]);
    expect(refusalOf(reply)).to.include({ status: 405, detail: 'push replication not enabled on this node' });
    await node.stop();
    await peer.stop();
  });

  it('does not start behind a plain http address, unless the operator allows it explicitly', async () => {
    const start = (env: Record<string, string> = {}) =>
      startFederatedNode({ name: 'n', ...createWorld(), url: 'http://n.test', env });
    const refused = await start().then(
      async (node) => node.stop(),
      (error: Error) => error.message,
    );
    expect(refused).to.be.a('string').that.contains('http');
    await (await start({ SVC_FEDERATION_INSECURE: 'true' })).stop();
  });
});
