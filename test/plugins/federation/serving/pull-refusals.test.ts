import { expect } from 'chai';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { NODE_ID } from '../serving-kit.ts';
import { PULL, pull, servingNodes } from './pull-kit.ts';

forEachStore('the pull route', () => {
  const start = servingNodes();

  it('refuses a limit outside 1 to 500, an unknown scope or an unknown parameter', async () => {
    const node = await start();
    const peer = node.addPeer('p');
    for (const query of ['limit=0', 'limit=-1', 'limit=abc', 'limit=501', 'scope=galaxy', 'scop=public']) {
      const reply = await pull(node, peer, query);
      expect([reply.status, reply.body.code], query).to.deep.equal([400, 'validation']);
    }
  });

  it('refuses and logs a scope that is not granted', async () => {
    const node = await start();
    const peer = node.addPeer('p', {}, ['public', 'local']);
    for (const scope of ['company', 'local', 'team']) {
      const reply = await pull(node, peer, `scope=${scope}`);
      expect([reply.status, reply.body.code]).to.deep.equal([403, 'scope_not_permitted']);
      expect(reply.body.detail).to.equal('scope not permitted for this peer');
    }
    expect(node.recorded.map(({ event, detail }) => [event.id, detail?.['scope']])).to.deep.equal([
      ['scope_violation', 'company'],
      ['scope_violation', 'local'],
      ['scope_violation', 'team'],
    ]);
    const nothing = await pull(node, peer, '', { scopes: ['company'] });
    expect([nothing.status, nothing.body.code]).to.deep.equal([403, 'no_permitted_scopes']);
    expect(nothing.body.detail).to.equal('no permitted scopes');
  });

  it('returns federation_disabled while federation is off, but only for a valid token', async () => {
    const node = await start({ settings: { federation: { enabled: false } } });
    const peer = node.addPeer('p');
    const off = await pull(node, peer);
    expect([off.status, off.body.code]).to.deep.equal([403, 'federation_disabled']);
    expect((await node.request('GET', PULL)).body.code).to.equal('peer_token_required');
    expect((await node.request('GET', PULL, { key: await node.addKey() })).body.code).to.equal('malformed_token');
  });

  it('requires a peer token, which no other route accepts', async () => {
    const node = await start();
    const peer = node.addPeer('p');
    const missing = await node.request('GET', PULL);
    expect([missing.status, missing.body.detail]).to.deep.equal([401, 'peer token required']);
    expect(missing.headers['www-authenticate']).to.equal('Bearer');
    for (const target of ['/v1/facts', '/v1/me', '/v1/unknown', `${PULL}/unknown`]) {
      expect((await node.request('GET', target, { key: peer.token(NODE_ID) })).status, target).to.equal(401);
    }
  });

  it('returns 405 for another method than GET, with a peer token or an API key', async () => {
    const node = await start();
    const peer = node.addPeer('p');
    expect((await node.request('POST', PULL)).status).to.equal(401);
    expect((await node.request('POST', PULL, { key: 'no-such-key' })).status).to.equal(401);
    for (const key of [peer.token(NODE_ID), await node.addKey()]) {
      const reply = await node.request('POST', PULL, { key });
      expect([reply.status, reply.headers['allow']]).to.deep.equal([405, 'GET']);
    }
  });
});
