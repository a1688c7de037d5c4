import { appendFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'chai';
import type { RunningProgram, Variables } from '../../adapters/cli/spawned-program.ts';
import { createPeerIdentity } from '../../kit/federation/peer-identity.ts';
import { fewPlugins } from '../../kit/few-plugins.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startHook } from '../../processes/webhook-hook.ts';
import { BackupPlace, request } from './backup-place.ts';
import { subscribe } from './subscribe.ts';

const LIMIT_MS = 120_000;

/** Backs up, withdraws something, restores that backup, and starts again. */
const withdrawAndRestore = async (
  place: BackupPlace,
  node: RunningProgram,
  env: Variables,
  withdraw: () => Promise<unknown>,
): Promise<RunningProgram> => {
  const folder = await place.backUp();
  await withdraw();
  await node.end();
  const restored = await place.work.runApart(
    ['restore', basename(folder), '--replace', '--config', 'node.json'],
    place.env,
  );
  expect(restored.exitCode, restored.stderr).to.equal(0);
  return place.start(env);
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
    const declare = (at: RunningProgram, document: unknown) => request(at, 'POST', '/v1/federation/peers', document);
    const peering = await declare(node, declaration);
    expect(peering.status, JSON.stringify(peering.body)).to.be.within(200, 201);
    const again = await withdrawAndRestore(place, node, env, async () => {
      const revoked = await request(node, 'DELETE', `/v1/federation/peers/${peering.body.peer_id}`);
      expect(revoked.status, JSON.stringify(revoked.body)).to.be.within(200, 204);
      const cutLine = `\n${peering.body.peer_id}\n`;
      appendFileSync(place.work.path('data/revoked-peerings'), cutLine, { mode: 0o600 });
    });
    const statusOf = async (at: RunningProgram) =>
      (await request(at, 'GET', '/v1/federation/peers')).body.peers.map(({ status }: { status: string }) => status);
    expect(await statusOf(again)).to.deep.equal(['revoked']);
    expect((await declare(again, declaration)).status, 'the removed declaration').to.equal(409);
    expect((await declare(again, self.declare(other.nodeId))).status, 'a newer declaration').to.be.within(200, 201);
    await again.end();
    const third = await place.start(env);
    expect(await statusOf(third)).to.deep.equal(['pending_verification']);
    await third.end();
  }).timeout(LIMIT_MS);

  it('of the service for a tenant holds after that backup is restored, until it is resumed', async () => {
    place = await BackupPlace.on(kind, fewPlugins('backup', 'jobs', 'multi-tenant'));
    const env = { SVC_MULTI_TENANT_ENABLED: 'true' };
    const node = await place.start(env);
    const first_key = { raw_key: 'acme-0123456789abcdef0123456789abcdef', entity_uri: 'agent:acme' };
    const created = await request(node, 'POST', '/v1/tenants', { id: 'acme', first_key });
    expect(created.status, JSON.stringify(created.body)).to.equal(201);
    const rest = (at: RunningProgram, status: string) => request(at, 'PATCH', '/v1/tenants/acme', { status });
    const statusOf = async (at: RunningProgram) => (await request(at, 'GET', '/v1/tenants/acme')).body.status;
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
