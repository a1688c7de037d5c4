import { expect } from 'chai';
import { FactStore } from '../../../../ports/ports.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../../kit/federation/federated-node.ts';
import type { Document } from '../../../kit/federation/peer-identity.ts';
import { declareBoth, pullUntil } from '../../../kit/federation/peering-steps.ts';
import { signedTombstone } from '../../../kit/federation/signed-tombstone.ts';
import { startTestPeer, type TestPeer } from '../../../kit/federation/test-peer.ts';
import { capability, follow } from '../../../kit/federation/tombstone-steps.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';

/** More tombstones than one look for the erasures of peers reads. */
const HELD = 105;

forEachStore('erasures that peers ask for', () => {
  let node: FederatedNode;
  let peer: TestPeer;
  const world = createWorld();
  const nowMs = () => world.clock.nowMs();
  beforeEach(async () => {
    const settings = { tombstones: { enabled: true, federationErase: true } };
    node = await startFederatedNode({ name: 'b', ...world, settings });
    peer = await startTestPeer({ ...world, nowMs, host: 'p.test' });
    await declareBoth(node, peer);
    await follow(node, peer.nodeId, await capability(node, peer));
  });
  afterEach(async () => {
    await node.stop();
    await peer.stop();
  });

  const idOf = (at: number): string => `tomb_00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
  const erasing = (at: number): Document =>
    signedTombstone(peer, nowMs(), { id: idOf(at), entity_uri: `user:${at}`, erase: true });
  const rowsOf = (table: string) => node.kernel.get(FactStore).table(table);
  const erased = async (): Promise<string[]> => {
    const rows = (await rowsOf('tombstones_erasures').where({ state: 'done' })) as Document[];
    return rows.map((row) => String(row['tombstone_id']));
  };

  it('are not delayed by many others that a legal hold keeps back', async () => {
    for (let at = 0; at < HELD; at += 1) {
      const body = { entity_uri: `user:${at}`, legal_hold: true };
      const reply = await node.request('POST', '/v1/tombstones', { key: node.key, body });
      expect(reply.status, reply.text).to.equal(201);
      peer.tombstones.push(erasing(at));
    }
    peer.tombstones.push(erasing(HELD));
    const received = () => rowsOf('tombstones_markers').where({ received_from: peer.nodeId });
    await pullUntil(node, async () => ((await received()) as Document[]).length === HELD + 1);
    await pullUntil(node, async () => (await erased()).length > 0);
    expect(await erased()).to.deep.equal([idOf(HELD)]);
  });
});
