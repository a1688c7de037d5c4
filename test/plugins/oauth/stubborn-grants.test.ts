import { expect } from 'chai';
import { API_KEYS_TABLE } from '../../../plugins/keys/keys-migrations.ts';
import { FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import {
  answerOf,
  askFor,
  decide,
  fieldOf,
  giveAccess,
  type OAuthNode,
  redeem,
  signIn,
  startOAuthNode,
  statusWith,
} from './oauth-kit.ts';

forEachStore('a grant that something keeps from ending (I16, I21)', () => {
  let node: OAuthNode;
  before(async () => {
    node = await startOAuthNode();
  });
  after(() => node.stop());

  const grantsOf = async (key: string) => (await node.request('GET', '/v1/oauth/grants', { key })).body.grants;

  it('ends even if its client is the last admin of a garden', async () => {
    const key = await node.addKey({ entityUri: 'user:ida' });
    const garden = { slug: 'handed', name: 'Handed over', scope: 'local' };
    expect((await node.request('POST', '/v1/gardens', { key, body: garden })).status).to.equal(201);
    const page = await signIn(node, askFor(node.clientId), key);
    const reply = await decide(node, page, { garden: fieldOf(page, 'garden') });
    const code = new URL(reply.headers['location'] ?? '').searchParams.get('code') ?? '';
    const { body } = await redeem(node, node.clientId, code);
    const [{ id, entity_uri: client }] = await grantsOf(key);
    const members = '/v1/gardens/handed/members';
    const promote = { key, body: { role: 'admin' } };
    expect((await node.request('PATCH', `${members}/${client}`, promote)).status).to.equal(200);
    expect((await node.request('DELETE', `${members}/user:ida`, { key })).status).to.equal(204);
    expect((await node.request('DELETE', `/v1/oauth/grants/${id}`, { key })).status).to.equal(204);
    expect(await statusWith(node, body.access_token)).to.equal(401);
    expect(await grantsOf(key)).to.deep.equal([]);
  });

  it('removes its client from gardens, unless another grant of the client includes them, even an unused one', async () => {
    const key = await node.addKey({ entityUri: 'user:lea' });
    const garden = { slug: 'shared', name: 'Shared', scope: 'local' };
    await node.request('POST', '/v1/gardens', { key, body: garden });
    const allow = async (): Promise<string> => {
      const page = await signIn(node, askFor(node.clientId), key);
      return answerOf(await decide(node, page, { garden: fieldOf(page, 'garden') })).get('code') ?? '';
    };
    const end = async (): Promise<void> => {
      const [{ id }] = await grantsOf(key);
      expect((await node.request('DELETE', `/v1/oauth/grants/${id}`, { key })).status).to.equal(204);
    };
    const members = async () => (await node.request('GET', '/v1/gardens/shared', { key })).body.members.length;
    await redeem(node, node.clientId, await allow());
    const waiting = await allow();
    await end();
    expect(await members()).to.equal(2);
    const { body } = await redeem(node, node.clientId, waiting);
    const seen = await node.request('GET', '/v1/gardens/shared', { key: body.access_token });
    expect(seen.status).to.equal(200);
    await end();
    expect(await members()).to.equal(1);
  });

  it('ends even if the row of its key is damaged', async () => {
    const { access, key } = await giveAccess(node, { entityUri: 'user:jan' });
    const [{ id, entity_uri: client }] = await grantsOf(key);
    const store = node.kernel.get(FactStore);
    await store.table(API_KEYS_TABLE).where({ entity_uri: client }).update({ permissions: 'admin' });
    expect(await statusWith(node, access)).to.equal(401);
    expect((await node.request('DELETE', `/v1/oauth/grants/${id}`, { key })).status).to.equal(204);
    expect(await grantsOf(key)).to.deep.equal([]);
  });

  it('is refused beyond 100 for one person, including those whose client has not used its code yet', async () => {
    const { key } = await giveAccess(node, { entityUri: 'user:kim' });
    const table = node.kernel.get(FactStore).table('oauth_grants');
    const [row] = await table.where({ person_uri: 'user:kim' }).select();
    const waiting = Array.from({ length: 99 }, (_, n) => ({ ...row, id: `waiting-${n}`, redeemed_ms: null }));
    await node.kernel.get(FactStore).write('default', (own) => own.insertRows('oauth_grants', waiting));
    const reply = await decide(node, await signIn(node, askFor(node.clientId), key));
    expect([reply.status, reply.headers['location']]).to.deep.equal([409, undefined]);
  });
});
