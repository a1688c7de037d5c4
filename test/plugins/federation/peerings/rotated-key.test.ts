import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { NodeKeys } from '../../../../plugins/node-info/node-info-api.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { placeTestStore } from '../../../kit/test-store.ts';
import {
  connect,
  eventsOf,
  listed,
  minutesUntil,
  operatorOf,
  type PeerNode,
  type PeerPlace,
  peerPlace,
  post,
  signDeclaration,
  startPeer,
} from './peering-nodes.ts';

const HOUR_MS = 3_600_000;
/** Few plugins, because the background work of all plugins in the simulated hours would take most of the time. */
const PLUGINS = ['audit', 'capability-tokens', 'conflicts', 'facts', 'federation', 'keys', 'node-info'];

forEachStore('a peer that rotates its key', (kind) => {
  let place: PeerPlace;
  let folder: string;
  let a: PeerNode;
  let b: PeerNode;
  beforeEach(async () => {
    place = peerPlace();
    folder = await mkdtemp(join(tmpdir(), 'rotated-key-'));
    a = await startPeer('alpha', place, { plugins: PLUGINS });
    b = await startPeer('beta', place, { folder, plugins: PLUGINS });
    await connect(a, b);
  });
  afterEach(async () => {
    await a.node.stop();
    await b.node.stop();
    await (await placeTestStore(kind, folder)).remove();
    await rm(folder, { recursive: true, force: true });
  });

  const restart = async (env: Readonly<Record<string, string>> = {}, settings = {}) => {
    await b.node.stop();
    b = await startPeer('beta', place, { folder, plugins: PLUGINS, env, settings });
  };
  const rotate = async () => {
    await b.node.kernel.get(NodeKeys).rotate(operatorOf(b));
    await restart();
  };
  const fingerprint = async () => (await listed(a))[0]?.['public_key_fingerprint'];
  const now = () => new Date(place.clock.nowMs()).toISOString();

  it('is recognized by its new key within the hour, over several rotations', async () => {
    const before = await fingerprint();
    await rotate();
    await rotate();
    expect(await fingerprint()).to.equal(before);
    await place.clock.advance(HOUR_MS);
    await minutesUntil(place, async () => (await fingerprint()) !== before);
    expect((await listed(a))[0]?.['status']).to.equal('active');
  });

  it('is recognized by its new key as soon as it posts a new declaration', async () => {
    const before = await fingerprint();
    await rotate();
    await place.clock.advance(1_000);
    const { body } = await post(a, signDeclaration(b, { target_node_id: a.id, signed_at: now() }));
    expect(body.status).to.equal('active');
    expect(await fingerprint()).not.to.equal(before);
  });

  it('is rejected if the former key did not sign the new one', async () => {
    const before = await fingerprint();
    // Pulls are off, because their tokens would reveal the new key.
    const off = { federation: { enabled: false } };
    await restart({ SVC_NODE_PRIVATE_KEY: Buffer.alloc(32, 9).toString('base64url') }, off);
    await place.clock.advance(1_000);
    const reply = await post(a, signDeclaration(b, { target_node_id: a.id, signed_at: now() }));
    expect(reply.body).to.include({ status: 409, code: 'key_mismatch' });
    expect((await listed(a))[0]?.['status']).to.equal('active');
    await place.clock.advance(HOUR_MS);
    await minutesUntil(place, async () => (await listed(a))[0]?.['status'] === 'rejected');
    expect(await fingerprint()).to.equal(before);
    expect((await eventsOf(a, '?event_type=peer_approval_failed')).map(({ peer_id }) => peer_id)).to.have.length(2);
    const told = a.node.logLines.find(({ message }) => message.includes('peer revoke'));
    expect(told?.level).to.equal('warn');
    expect(JSON.stringify(a.node.logLines)).not.to.contain('CQkJCQkJ');
  });

  it('may use any key in a new peering after the former one was revoked', async () => {
    await restart({ SVC_NODE_PRIVATE_KEY: Buffer.alloc(32, 9).toString('base64url') });
    const before = await fingerprint();
    await a.registry.revoke(operatorOf(a), String((await listed(a))[0]?.['peer_id']));
    await place.clock.advance(1_000);
    await connect(a, b);
    expect((await listed(a))[0]).to.include({ status: 'active' });
    expect(await fingerprint()).not.to.equal(before);
  });
});
