import { expect } from 'chai';
import { FactStore } from '../../../ports/ports.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../../kit/federation/federated-node.ts';
import { declareBoth, drain, has, peerUp, pullUntil } from '../../kit/federation/peering-steps.ts';
import { startTestPeer } from '../../kit/federation/test-peer.ts';
import { forEachStore } from '../../kit/for-each-store.ts';

/** Begins a new epoch, as the commands `restore` and `restored` do. */
const beginEpoch = (node: FederatedNode, epoch: string): Promise<void> =>
  node.kernel.get(FactStore).write('default', async (transaction) => {
    const clock = await transaction.lockClock();
    await transaction.saveClock({ wallMs: clock.wallMs, counter: clock.counter + 1 }, epoch);
  });

forEachStore('A node that lost facts of its own', () => {
  it('gets its lost facts back from its peers, including those of the scope company', async () => {
    const world = createWorld();
    const keeper = await startFederatedNode({ name: 'k', ...world });
    const before = await startFederatedNode({ name: 'n', ...world });
    const scopes = ['company', 'public'];
    await peerUp(before, keeper, { scopes });
    const said = [
      await before.say(),
      await before.say({ scope: 'company' }),
      await before.say({ source: before.nodeId }),
    ];
    const kept = await keeper.say();
    await pullUntil(keeper, async () => (await Promise.all(said.map(({ id }) => has(keeper, id)))).every(Boolean));
    await before.stop();
    const node = await startFederatedNode({ name: 'n', ...world });
    await peerUp(node, keeper, { scopes });
    await pullUntil(node, async () => (await Promise.all(said.map(({ id }) => has(node, id)))).every(Boolean));
    for (const { id, hlc, source } of said) {
      const { body } = await node.get(`/v1/facts/${id}`);
      expect(body).to.include({ id, hlc, source, origin_node_id: node.nodeId, received_from: keeper.nodeId });
    }
    expect(await has(node, kept.id)).to.equal(true);
    const later = await node.say();
    expect(Number(later.hlc.split('.')[0])).to.be.at.least(Number(said[2]?.hlc.split('.')[0]));
    await node.stop();
    await keeper.stop();
  });

  it('asks for its own facts from the start of each feed only in a new epoch of its store', async () => {
    const world = createWorld();
    const keeper = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs() });
    const before = await startFederatedNode({ name: 'n', ...world });
    await declareBoth(before, keeper);
    const lost = await before.say();
    const [returned] = (await drain(before, keeper)).facts;
    await before.stop();
    const node = await startFederatedNode({ name: 'n', ...world });
    await declareBoth(node, keeper);
    keeper.feed.push(keeper.fact(), keeper.fact());
    await pullUntil(node, () => has(node, keeper.feed[1]?.id ?? ''));
    await pullUntil(node, () => keeper.pulls.length > 2);
    const asked = keeper.pulls.map(({ query }) => [query.get('own'), query.get('cursor') === null]);
    expect(asked[0]).to.deep.equal(['true', true]);
    expect(asked.at(-1)).to.deep.equal([null, false]);
    const count = keeper.pulls.length;
    keeper.feed.splice(0, 1, { ...(returned as (typeof keeper.feed)[number]), origin_node_id: node.nodeId });
    await pullUntil(node, () => keeper.pulls.length > count);
    expect(await has(node, lost.id)).to.equal(false);
    await beginEpoch(node, 'after a restore');
    await pullUntil(node, () => has(node, lost.id));
    expect(keeper.pulls.some(({ query }, at) => at > count && query.get('own') === 'true')).to.equal(true);
    await pullUntil(node, () => keeper.pulls.at(-1)?.query.get('own') === null);
    await node.stop();
    await keeper.stop();
  });
});
