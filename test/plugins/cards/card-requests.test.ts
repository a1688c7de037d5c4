import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type CardsNode, ENTITY, startCardsNode } from './cards-node.ts';

forEachStore('a request for a card', () => {
  let cards: CardsNode;
  before(async () => {
    cards = await startCardsNode();
    await cards.say('memory:role', 'engineer');
  });
  after(() => cards.node.stop());

  const get = (target: string, key = cards.key) => cards.node.request('GET', target, { key });
  const refusal = async (target: string, key = cards.key) => {
    const { status, body } = await get(target, key);
    expect(body.detail).to.be.a('string');
    return [status, body.code];
  };

  for (const [how, path] of [
    ['encoded', encodeURIComponent(ENTITY)],
    ['raw', ENTITY],
    ['with encoded slashes alone', ENTITY.replaceAll('/', '%2F')],
    ['in lower-case escapes', encodeURIComponent(ENTITY).toLowerCase()],
    ['with blanks around it', `%20${ENTITY}%20`],
  ] as const) {
    it(`finds an entity that is ${how}`, async () => {
      const { status, body } = await get(`/v1/cards/${path}`);
      expect([status, body.entity_uri]).to.deep.equal([200, ENTITY]);
    });
  }

  it('splits an entity only at the slashes of its own spelling', async () => {
    for (const entity of ['a//b/', 'x/../y', '%2F', 'q?r=s#t', '100%', 'é/ü']) {
      await cards.say('memory:role', 'engineer', { entity });
      const { status, body } = await get(`/v1/cards/${encodeURIComponent(entity)}`);
      expect([status, body.entity_uri]).to.deep.equal([200, entity]);
    }
    expect((await get('/v1/cards/a//b/')).body.entity_uri).to.equal('a//b/');
  });

  for (const [what, target] of [
    ['a path that climbs', '/v1/cards/..%2f..%2fetc%2fpasswd'],
    ['broken percent-encoding', '/v1/cards/user%3Aa%zz'],
    ['bytes that are no UTF-8', '/v1/cards/%ff%fe'],
    ['NUL', '/v1/cards/user%00a'],
    ['a control character', '/v1/cards/user%0Aa'],
    ['blanks alone', '/v1/cards/%20'],
    ['a name that is too long', `/v1/cards/${'x'.repeat(2_049)}`],
    ['an unknown scope', '/v1/cards/user:a?scope=galaxy'],
    ['an empty scope', '/v1/cards/user:a?scope='],
    ['two scopes', '/v1/cards/user:a?scope=local&scope=public'],
    ['a switch that is neither on nor off', '/v1/cards/user:a?refresh=maybe'],
    ['an alias that is neither on nor off', '/v1/cards/user:a?force_refresh=2'],
  ] as const) {
    it(`is refused for ${what}`, async () => {
      expect(await refusal(target)).to.deep.equal([400, 'validation']);
    });
  }

  it('is refused for a key without permission to read, and outside its scopes', async () => {
    const writer = await cards.node.addKey({ entityUri: 'agent:w', permissions: ['write', 'admin'] });
    expect(await refusal(`/v1/cards/${ENTITY}`, writer)).to.deep.equal([403, 'authorization']);
    const outsider = await cards.node.addKey({ entityUri: 'agent:r', scopes: ['public'] });
    expect(await refusal(`/v1/cards/${ENTITY}?scope=local`, outsider)).to.deep.equal([403, 'authorization']);
    expect(await refusal(`/v1/cards/${ENTITY}?scope=public`, outsider)).to.deep.equal([404, 'lookup']);
  });

  it('gives the same answer for an unknown entity, a retracted one and one in another scope', async () => {
    const entity = 'user:gone';
    await cards.say('memory:role', 'engineer', { entity });
    await cards.say('memory:role', 'engineer', { entity, confidence: 0 });
    const replies = [];
    for (const target of [`/v1/cards/${entity}`, '/v1/cards/user:none', `/v1/cards/${ENTITY}?scope=team`]) {
      const { status, body } = await get(target);
      replies.push([status, body.code, body.detail]);
    }
    expect(replies[0]?.slice(0, 2)).to.deep.equal([404, 'lookup']);
    expect(new Set(replies.map((reply) => JSON.stringify(reply)))).to.have.length(1);
  });
});
