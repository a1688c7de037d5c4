import { expect } from 'chai';
import { defineOwnPlugin } from '../../../../kernel/internal-api.ts';
import { appendJudge, ServiceError } from '../../../../kernel/plugin-api.ts';
import { FactStore } from '../../../../ports/ports.ts';
import { comesTrue } from '../../../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../../kit/federation/federated-node.ts';
import { declareBoth, push } from '../../../kit/federation/peering-steps.ts';
import { signedRevocation, signedTombstone } from '../../../kit/federation/signed-tombstone.ts';
import { startTestPeer, type TestPeer } from '../../../kit/federation/test-peer.ts';
import { capability, follow } from '../../../kit/federation/tombstone-steps.ts';
import { forEachStore } from '../../../kit/for-each-store.ts';

const ENTITY = 'user:gone';
const SCOPES = ['company', 'public'] as const;
const RELATIONS = ['memory:mood', 'memory:role'];

/** Refuses facts of the node about conflicts in the scope `company`. */
const refusing = defineOwnPlugin({
  name: 'refusing',
  setup({ on }) {
    on(appendJudge, ({ items }) => {
      for (const item of items) {
        const { system, relationKey, scope } = item.fact;
        if (!system || scope !== 'company' || !relationKey.startsWith('svc:conflict:')) continue;
        item.reject(new ServiceError('validation', 'no conflicts here'), 'place');
      }
      return undefined;
    });
  },
});

forEachStore('a place that refuses facts about conflicts while the revocation of a tombstone is followed', () => {
  const world = createWorld();
  let node: FederatedNode;
  let peer: TestPeer;
  beforeEach(async () => {
    node = await startFederatedNode({
      name: 'a',
      ...world,
      env: { SVC_TOMBSTONES_ENABLED: 'true' },
      extra: [refusing],
    });
    peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    await declareBoth(node, peer, { scopes: SCOPES }, { scopes: SCOPES });
    await follow(node, peer.nodeId, await capability(node, node));
  });
  afterEach(async () => {
    await peer.stop();
    await node.stop();
  });

  const table = (name: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    node.kernel.get(FactStore).read((snapshot) => snapshot.table(name));
  const comes = (holds: (markers: Awaited<ReturnType<typeof table>>) => boolean): Promise<void> =>
    comesTrue(async () => {
      await world.clock.advance(20_000);
      const markers = await table('tombstones_markers');
      return holds(markers) && markers.every((marker) => marker['followed_number'] === null);
    });
  const scopesOf = async (target: string): Promise<readonly string[]> => {
    const { body } = await node.get(target);
    return (body.conflicts ?? body.facts).map((one: { scope?: string; fact_a?: { scope: string } }) =>
      String(one.scope ?? one.fact_a?.scope),
    );
  };

  it('has no conflict without the facts about it, and holds up no other place', async () => {
    const tombstone = signedTombstone(peer, world.clock.nowMs(), { entity_uri: ENTITY });
    peer.tombstones.push(tombstone);
    await comes((markers) => markers.length === 1);
    for (const scope of SCOPES) {
      for (const relation of RELATIONS) {
        await node.say({ entity: ENTITY, relation, scope, value: { type: 'string', v: 'shown' } });
        const hidden = peer.fact({ entity: ENTITY, relation, scope, value: { type: 'string', v: 'hidden' } });
        expect((await push(node, peer, [hidden])).body.accepted).to.equal(1);
      }
    }
    expect(await scopesOf('/v1/conflicts?status=all')).to.deep.equal([]);
    const revocation = signedRevocation(peer, world.clock.nowMs(), String(tombstone['id']));
    peer.tombstones.push({ ...tombstone, revocation });
    await comes(([marker]) => marker?.['revoked_ms'] !== null);
    expect(await scopesOf('/v1/conflicts?status=all')).to.deep.equal(['public', 'public']);
    expect(await scopesOf('/v1/facts?relation=svc:conflict:status')).to.deep.equal(['public', 'public']);
    expect((await table('conflicts_records')).map((record) => record['scope'])).to.deep.equal(['public', 'public']);
    const everything = 'include_contradicted=true&include_retracted=true&include_expired=true';
    expect((await node.get(`/v1/facts?entity=${ENTITY}&${everything}`)).body.total).to.equal(8);
  });
});
