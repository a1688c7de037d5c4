import { expect } from 'chai';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { NODE_ID } from '../serving-kit.ts';
import { idsOf, pull, receive, say, servingNodes } from './pull-kit.ts';

forEachStore('the facts that a peer pulls', () => {
  const start = servingNodes();

  it('have the members of their origin, a content id and a proof, and no local members', async () => {
    const node = await start();
    const peer = node.addPeer('p');
    const parent = await say(node);
    const fact = await say(node, {
      derived_from: [parent.cid],
      valid_until: '2031-01-01T00:00:00+02:00',
      confidence: 0.5,
    });
    const reply = await pull(node, peer);
    expect(reply.body.has_more).to.equal(false);
    expect(reply.body.cursor).to.equal(fact.hlc);
    expect(reply.body.epoch).to.match(/^[0-9a-f-]+$/);
    expect(reply.headers).not.to.have.property('svc-remaining');
    const { origin_proof: proof, ...served } = reply.body.facts[1];
    expect(proof).to.have.keys('key_id', 'salt', 'refs_salt', 'signature');
    expect(served).to.deep.equal({
      id: fact.id,
      entity: 'user:alice',
      relation: fact.relation,
      value: { type: 'string', v: 'hello', interpret_as: 'content' },
      source: 'agent:x',
      timestamp: served.timestamp,
      hlc: fact.hlc,
      confidence: 0.5,
      scope: 'public',
      valid_until: '2031-01-01T00:00:00+02:00',
      derived_from: [parent.cid],
      cid: fact.cid,
    });
  });

  it('have no content ids if the node omits them', async () => {
    const node = await start({ settings: { federation: { cid: 'omit' } } });
    const peer = node.addPeer('p');
    await say(node);
    expect((await pull(node, peer)).body.facts[0]).not.to.have.property('cid');
  });

  it('belong to the granted scopes, including expired and retracted facts', async () => {
    const node = await start();
    const peer = node.addPeer('p', {}, ['public', 'company', 'team', 'local']);
    for (const scope of ['local', 'team']) await say(node, { scope });
    const shared = [
      await say(node),
      await say(node, { scope: 'company' }),
      await say(node, { valid_until: '2001-01-01T00:00:00Z' }),
      await say(node, { relation: 'memory:x' }),
      await say(node, { relation: 'memory:x', confidence: 0 }),
    ].map(({ id }) => id);
    expect(idsOf(await pull(node, peer))).to.deep.equal(shared);
    expect(idsOf(await pull(node, peer, 'scope=company'))).to.deep.equal([shared[1]]);
    expect(idsOf(await pull(node, peer, '', { scopes: ['company'] }))).to.deep.equal([shared[1]]);
  });

  it('include no system facts and no garden facts, even if the peer is a member', async () => {
    const node = await start();
    const peer = node.addPeer('p');
    const key = await node.addKey({ entityUri: 'agent:owner' });
    const garden = { name: 'Roses', slug: 'roses', scope: 'public' };
    expect((await node.request('POST', '/v1/gardens', { key, body: garden })).status).to.equal(201);
    const member = { entity_uri: peer.nodeId, role: 'reader' };
    const added = await node.request('POST', '/v1/gardens/roses/members', { key, body: member });
    expect(added.status, added.text).to.be.lessThan(300);
    const body = { entity: 'user:a', relation: 'memory:x', value: { type: 'null' }, source: 'agent:owner' };
    const planted = await node.request('POST', '/v1/facts', {
      key,
      body: { ...body, scope: 'public', garden_id: 'roses' },
    });
    expect(planted.status, planted.text).to.equal(201);
    const seen = await say(node);
    await say(node, { entity: seen.id, relation: 'svc:ttl', value: { type: 'datetime', v: '2031-01-01T00:00:00Z' } });
    expect(idsOf(await pull(node, peer))).to.deep.equal([seen.id]);
  });

  it('include relayed public facts, but company facts only from their own origin', async () => {
    const node = await start();
    const peer = node.addPeer('p', {}, ['public', 'company']);
    const relayed = await receive(node, {});
    await receive(node, { scope: 'company' });
    const returned = await receive(node, { scope: 'company', originNodeId: NODE_ID });
    const reply = await pull(node, peer);
    expect(idsOf(reply)).to.deep.equal([relayed, returned]);
    expect(reply.body.facts[0])
      .to.include({ origin_node_id: 'svc://origin.test' })
      .and.not.have.property('origin_proof');
    expect(reply.body.facts[0].hlc).to.equal(`${node.clock.nowMs()}.00`);
  });

  it('include no fact that the peer itself stated or sent', async () => {
    const node = await start();
    const peer = node.addPeer('p');
    await receive(node, { receivedFrom: peer.nodeId, originNodeId: 'svc://origin.test' });
    await receive(node, { receivedFrom: 'svc://sender.test', originNodeId: peer.nodeId });
    const reply = await pull(node, peer);
    expect(idsOf(reply)).to.deep.equal([]);
    expect(reply.body.cursor).to.be.a('string');
  });
});
