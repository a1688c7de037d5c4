import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { rejection } from '../../../kit/rejection.ts';
import { placeTestStore } from '../../../kit/test-store.ts';
import { operatorOf, type PeerNode, type PeerPlace, peerPlace, signDeclaration, startPeer } from './peering-nodes.ts';

forEachStore('a node that federates for several tenants', (kind) => {
  let place: PeerPlace;
  let folder: string;
  let a: PeerNode;
  let b: PeerNode;
  beforeEach(async () => {
    place = peerPlace();
    folder = await mkdtemp(join(tmpdir(), 'peer-tenants-'));
    a = await startPeer('alpha', place, { folder });
    b = await startPeer('beta', place);
  });
  afterEach(async () => {
    await a.node.stop();
    await b.node.stop();
    await (await placeTestStore(kind, folder)).remove();
    await rm(folder, { recursive: true, force: true });
  });
  const now = (aheadMs = 0) => new Date(place.clock.nowMs() + aheadMs).toISOString();
  const theirs = (aheadMs = 0) => signDeclaration(b, { target_node_id: a.id, signed_at: now(aheadMs) });

  it('keeps a peering for each tenant, of which the others learn nothing', async () => {
    const north = await a.registry.register(operatorOf(a, 'north'), theirs());
    const south = await a.registry.register(operatorOf(a, 'south'), theirs());
    expect(south).to.deep.include({ ...north, tenantId: 'south', peerId: south.peerId });
    expect(south.peerId).not.to.equal(north.peerId);
    expect(await a.registry.list(operatorOf(a, 'south'))).to.deep.equal([south]);
    const foreign = await rejection(a.registry.revoke(operatorOf(a, 'south'), north.peerId));
    expect(foreign).to.include({ code: 'lookup', status: 404 });
    await a.registry.revoke(operatorOf(a, 'south'), south.peerId);
    expect(await a.registry.list(operatorOf(a, 'north'))).to.deep.equal([north]);
  });

  it('keeps one peering for a tenant that declares a peer at once in two processes', async () => {
    const other = await startPeer('alpha-too', place, { folder, node: { id: a.id } });
    const attempts = [a, other, a, other].map((node, at) =>
      node.registry.register(operatorOf(node), theirs(at)).then(
        ({ peerId }) => peerId,
        (error: { code: string }) => error.code,
      ),
    );
    const ids = (await Promise.all(attempts)).filter((result) => result !== 'stale_declaration');
    expect(new Set(ids)).to.have.property('size', 1);
    expect(await a.registry.list(operatorOf(a))).to.have.length(1);
    await other.node.stop();
  });

  it('applies a change made in one process in every process', async () => {
    const other = await startPeer('alpha-too', place, { folder, node: { id: a.id } });
    const registered = await a.registry.register(operatorOf(a), theirs());
    expect(await other.registry.list(operatorOf(other))).to.deep.equal([registered]);
    await other.registry.revoke(operatorOf(other), registered.peerId);
    expect((await a.registry.list(operatorOf(a))).map(({ status }) => status)).to.deep.equal(['revoked']);
    await other.node.stop();
  });
});
