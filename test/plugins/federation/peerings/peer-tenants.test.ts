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

  it('allows the same peer for only one tenant until that peering is revoked', async () => {
    const first = await a.registry.register(operatorOf(a, 'north'), theirs());
    expect(first).to.include({ tenantId: 'north', nodeId: b.id });
    const taken = await rejection(a.registry.register(operatorOf(a, 'south'), theirs(1_000)));
    expect(taken).to.include({ code: 'conflict', status: 409 });
    expect(taken.message).not.to.contain('north');
    expect(await a.registry.list(operatorOf(a, 'south'))).to.deep.equal([]);
    const foreign = await rejection(a.registry.revoke(operatorOf(a, 'south'), first.peerId));
    expect(foreign).to.include({ code: 'lookup', status: 404 });
    await a.registry.revoke(operatorOf(a, 'north'), first.peerId);
    const second = await a.registry.register(operatorOf(a, 'south'), theirs(2_000));
    expect(second).to.include({ tenantId: 'south', status: 'pending_verification' });
    const late = await rejection(a.registry.register(operatorOf(a, 'north'), theirs(3_000)));
    expect(late).to.include({ code: 'conflict' });
  });

  it('accepts one of two tenants that declare the same peer at once in two processes', async () => {
    const other = await startPeer('alpha-too', place, { folder, node: { id: a.id } });
    const attempts = [a, other, a, other].map((node, at) =>
      node.registry.register(operatorOf(node, `tenant-${at}`), theirs(at)).then(
        ({ tenantId }) => tenantId,
        (error: { code: string }) => error.code,
      ),
    );
    const results = await Promise.all(attempts);
    expect(results.filter((result) => result === 'conflict')).to.have.length(3);
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
