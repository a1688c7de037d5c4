import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { expect } from 'chai';
import type { ServingNode, Variables } from '../../adapters/cli/spawned-program.ts';
import { createPeerIdentity, type PeerIdentity } from '../../kit/federation/peer-identity.ts';
import { metadataOf } from '../../kit/federation/test-peer.ts';
import { fewPlugins } from '../../kit/few-plugins.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { waitUntil } from '../../kit/wait-until.ts';
import { startHook } from '../../processes/webhook-hook.ts';
import { BackupPlace, fact, request } from './backup-place.ts';
import { subscribe } from './subscribe.ts';

const LIMIT_MS = 120_000;

/** Backs up, withdraws something, restores that backup, and starts again. */
const withdrawAndRestore = async (
  place: BackupPlace,
  node: ServingNode,
  env: Variables,
  withdraw: () => Promise<unknown>,
): Promise<ServingNode> => {
  const folder = await place.backUp();
  await withdraw();
  await node.end();
  const restored = await place.run(['restore', basename(folder), '--replace']);
  expect(restored.exitCode, restored.stderr).to.equal(0);
  return place.start(env);
};

/** Serves the document of a peer, by which its declaration is verified. */
const serveMetadata = async (peer: PeerIdentity): Promise<{ readonly url: string; stop(): void }> => {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(metadataOf(peer, url)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url, stop };
};

forEachStore('a withdrawal after a backup', (kind) => {
  let place: BackupPlace;
  afterEach(() => place.dispose());

  it('of a subscription holds after that backup is restored', async () => {
    place = await BackupPlace.on(kind, fewPlugins('backup', 'capability-tokens', 'jobs', 'subscriptions'));
    const hook = await startHook();
    try {
      const env = { SVC_WEBHOOK_ALLOW_PRIVATE: 'true' };
      const node = await place.start(env);
      const kept = await subscribe(node, hook, 'svc://alpha.example/project/kept');
      const cancelled = await subscribe(node, hook, 'svc://alpha.example/project/cancelled');
      const again = await withdrawAndRestore(place, node, env, () =>
        request(node, 'DELETE', `/v1/subscriptions/${cancelled}`),
      );
      const { body } = await request(again, 'GET', '/v1/subscriptions');
      expect(body.subscriptions.map(({ id }: { id: string }) => id)).to.deep.equal([kept]);
      await again.end();
    } finally {
      hook.stop();
    }
  }).timeout(LIMIT_MS);

  it('of a peering holds after that backup is restored, until both sides declare anew', async () => {
    place = await BackupPlace.on(kind, fewPlugins('backup', 'federation', 'jobs'));
    const self = createPeerIdentity('svc://restored.test', Date.now);
    const other = createPeerIdentity('svc://other.test', Date.now);
    const env = {
      SVC_FEDERATION_ENABLED: 'true',
      SVC_FEDERATION_INSECURE: 'true',
      SVC_NODE_ID: self.nodeId,
      SVC_NODE_PRIVATE_KEY: self.seed,
    };
    const node = await place.start(env);
    const declaration = self.declare(other.nodeId);
    const statusOf = async (at: ServingNode) =>
      (await request(at, 'GET', '/v1/federation/peers')).body.peers.map(({ status }: { status: string }) => status);
    const declare = (at: ServingNode, document: unknown) => request(at, 'POST', '/v1/federation/peers', document);
    expect((await declare(node, declaration)).status).to.be.within(200, 201);
    const document = await serveMetadata(other);
    const peering = await declare(node, other.declare(self.nodeId, { node_url: document.url }));
    expect(peering.status, JSON.stringify(peering.body)).to.be.within(200, 201);
    await waitUntil('the peering is active', LIMIT_MS, async () => (await statusOf(node))[0] === 'active');
    const pull = async (at: ServingNode): Promise<number> => {
      const headers = { Authorization: `Bearer ${other.token(self.nodeId)}` };
      return (await fetch(`${at.url}/v1/federation/facts`, { headers })).status;
    };
    expect(await pull(node)).to.equal(200);
    const again = await withdrawAndRestore(place, node, env, async () => {
      const revoked = await request(node, 'DELETE', `/v1/federation/peers/${peering.body.peer_id}`);
      expect(revoked.status, JSON.stringify(revoked.body)).to.be.within(200, 204);
      const cutLine = `\n${peering.body.peer_id}\n`;
      appendFileSync(place.work.path('data/revoked-peerings'), cutLine, { mode: 0o600 });
    });
    expect(await statusOf(again)).to.deep.equal(['revoked']);
    expect(await pull(again), 'the peer reads nothing').to.be.within(401, 403);
    expect((await declare(again, declaration)).status, 'the removed declaration').to.equal(409);
    expect((await declare(again, self.declare(other.nodeId))).status, 'a newer declaration').to.be.within(200, 201);
    await again.end();
    const third = await place.start(env);
    expect(await statusOf(third)).to.deep.equal(['pending_verification']);
    await third.end();
    document.stop();
  }).timeout(LIMIT_MS);

  it('by a tombstone holds after that backup is restored, and a revoked tombstone hides nothing', async () => {
    place = await BackupPlace.on(kind, fewPlugins('backup', 'jobs', 'tombstones'));
    const env = { SVC_TOMBSTONES_ENABLED: 'true' };
    const node = await place.start(env);
    const entities = ['user:hidden', 'user:shown', 'user:other'];
    for (const entity of entities) await request(node, 'POST', '/v1/facts', fact(entity, 'something'));
    const hide = async (entity: string): Promise<string> =>
      (await request(node, 'POST', '/v1/tombstones', { entity_uri: entity, reason: 'a reason' })).body.id;
    const readable = async (at: ServingNode): Promise<string[]> => {
      const found: string[] = [];
      for (const entity of entities) {
        if ((await request(at, 'GET', `/v1/facts?entity=${entity}`)).body.facts.length > 0) found.push(entity);
      }
      return found;
    };
    const again = await withdrawAndRestore(place, node, env, async () => {
      await hide('user:hidden');
      const shown = await hide('user:shown');
      const revoked = await request(node, 'POST', `/v1/tombstones/${shown}/revoke`, { reason: 'a mistake' });
      expect(revoked.status, JSON.stringify(revoked.body)).to.equal(200);
      expect(await readable(node)).to.deep.equal(['user:shown', 'user:other']);
    });
    expect(await readable(again)).to.deep.equal(['user:shown', 'user:other']);
    const { body } = await request(again, 'GET', '/v1/tombstones');
    expect(body.tombstones.map(({ reason }: { reason: string | null }) => reason)).to.deep.equal([null]);
    const revoked = await request(again, 'POST', `/v1/tombstones/${body.tombstones[0].id}/revoke`, { reason: 'over' });
    expect(revoked.status, JSON.stringify(revoked.body)).to.equal(200);
    await again.end();
    const third = await place.start(env);
    expect(await readable(third)).to.deep.equal(entities);
    await third.end();
  }).timeout(LIMIT_MS);

  it('of the service for a tenant holds after that backup is restored, until it is resumed', async () => {
    place = await BackupPlace.on(kind, fewPlugins('backup', 'jobs', 'multi-tenant'));
    const env = { SVC_MULTI_TENANT_ENABLED: 'true' };
    const node = await place.start(env);
    const first_key = { raw_key: 'acme-0123456789abcdef0123456789abcdef', entity_uri: 'agent:acme' };
    const created = await request(node, 'POST', '/v1/tenants', { id: 'acme', first_key });
    expect(created.status, JSON.stringify(created.body)).to.equal(201);
    const rest = (at: ServingNode, status: string) => request(at, 'PATCH', '/v1/tenants/acme', { status });
    const statusOf = async (at: ServingNode) => (await request(at, 'GET', '/v1/tenants/acme')).body.status;
    const again = await withdrawAndRestore(place, node, env, async () => {
      expect((await rest(node, 'suspended')).status).to.equal(200);
    });
    expect(await statusOf(again)).to.equal('suspended');
    await rest(again, 'active');
    await again.end();
    const third = await place.start(env);
    expect(await statusOf(third)).to.equal('active');
    await third.end();
  }).timeout(LIMIT_MS);
});
