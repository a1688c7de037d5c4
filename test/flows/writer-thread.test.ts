import { expect } from 'chai';
import { comesTrue } from '../kit/comes-true.ts';
import { createWorld, type FederatedNode, startFederatedNode } from '../kit/federation/federated-node.ts';
import { declareBoth, has, pullUntil } from '../kit/federation/peering-steps.ts';
import { startTestPeer } from '../kit/federation/test-peer.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';
import { withWriterThread } from '../kit/writer-thread.ts';
import { simulate } from '../simulation/simulate.ts';
import { removeTemplates } from '../simulation/world/templates.ts';

withWriterThread('a node with all its plugins', () => {
  let node: TestNode;
  let key: string;
  before(async () => {
    node = await startTestNode();
    key = await node.addKey({ permissions: ['read', 'write', 'admin'] });
  });
  after(() => node.stop());

  const post = async (path: string, body: unknown) => {
    const reply = await node.request('POST', path, { key, body });
    expect(reply.status, JSON.stringify(reply.body)).to.be.oneOf([200, 201]);
    return reply.body;
  };
  const said = (v: string, changes: object = {}) => ({
    entity: 'user:noor',
    relation: 'memory:plays',
    value: { type: 'string', v },
    source: 'agent:test',
    ...changes,
  });
  const recalled = async (query: string): Promise<string[]> =>
    (await post('/v1/recall', { query, token_budget: 2_000 })).facts.map(
      ({ fact }: { fact: { id: string } }) => fact.id,
    );
  const shown = async (): Promise<string[]> => {
    const { body } = await node.request('GET', '/v1/facts?entity=user:noor', { key });
    return body.facts.map(({ id }: { id: string }) => id);
  };

  it('recalls new facts at once, by words and by meaning', async () => {
    const { id } = await post('/v1/facts', said('the cello, every evening'));
    expect(await recalled('cello')).to.include(id);
    await comesTrue(async () => (await recalled('which musical instrument')).includes(id));
  });

  it('resolves contradictions, and shows the current state on each request', async () => {
    const weaker = await post('/v1/facts', said('tennis', { relation: 'memory:sport', confidence: 0.4 }));
    for (let time = 0; time < 3; time += 1) expect(await shown()).to.include(weaker.id);
    const stronger = await post('/v1/facts', said('chess', { relation: 'memory:sport', confidence: 0.9 }));
    const ids = await shown();
    expect(ids).to.include(stronger.id).and.not.include(weaker.id);
    const { body } = await node.request('GET', '/v1/conflicts', { key });
    expect(body.conflicts).to.have.length(1);
    const resolve = `/v1/conflicts/${body.conflicts[0].conflict_id}/resolve`;
    const { resolution_fact_id: settled } = await post(resolve, { winning_fact_id: weaker.id });
    expect(await shown())
      .to.include(settled)
      .and.not.include(stronger.id);
  });

  it('stores whole batches, with a result for each item', async () => {
    const items = Array.from({ length: 300 }, (_, at) =>
      said(`note ${at}`, { entity: `user:n${at % 7}`, relation: `memory:n${at}` }),
    );
    const { accepted, results } = await post('/v1/facts/batch', items);
    expect([accepted, results.length]).to.deep.equal([300, 300]);
    const { body } = await node.request('GET', '/v1/facts?entity=user:n3&limit=500', { key });
    expect(body.total).to.equal(items.filter(({ entity }) => entity === 'user:n3').length);
  });
});

withWriterThread('a node that pulls from a peer', () => {
  const world = createWorld();
  let node: FederatedNode;
  before(async () => {
    node = await startFederatedNode({ name: 'n', ...world });
  });
  after(() => node?.stop());

  it('stores each fact of the peer once', async () => {
    const peer = await startTestPeer({ ...world, nowMs: () => world.clock.nowMs(), host: 'p.test' });
    await declareBoth(node, peer, { scopes: ['public'] }, { scopes: ['public'] });
    peer.feed.push(peer.fact(), peer.fact(), peer.fact());
    await pullUntil(node, () => has(node, peer.feed[2]?.id ?? ''));
    for (const { id } of peer.feed) expect(await has(node, id)).to.equal(true);
    await peer.stop();
  });
});

withWriterThread('federated nodes under all kinds of faults', () => {
  after(removeTemplates);

  it('keep all invariants of the store', async () => {
    await simulate(8);
  });
});
