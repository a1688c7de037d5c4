import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { appendAuthorise, ServiceError } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { CARD_PLUGINS, type CardsNode, ENTITY, startCardsNode } from './cards-node.ts';

forEachStore('the fact that holds a card', () => {
  let cards: CardsNode;
  beforeEach(async () => {
    cards = await startCardsNode();
  });
  afterEach(() => cards.node.stop());

  const query = async (members: string, key = cards.key) =>
    (await cards.node.request('GET', `/v1/facts?${members}`, { key })).body.facts as {
      readonly id: string;
      readonly relation: string;
    }[];

  it('contains the text of the card and the ids of its source facts', async () => {
    const role = await cards.say('memory:role', 'engineer', { confidence: 0.9 });
    const city = await cards.say('memory:city', 'Oslo', { confidence: 0.5, valid_until: '2026-03-03T00:00:00+01:00' });
    const card = await cards.card();
    const facts = await cards.cardFacts();
    expect(facts).to.have.length(1);
    expect(facts[0]).to.deep.include({
      entity: ENTITY,
      relation: 'svc:memory:card',
      value: { type: 'text', v: card.summary, interpret_as: 'content' },
      source: 'system:svc',
      confidence: 0.7,
      scope: 'local',
      valid_until: '2026-03-03T00:00:00+01:00',
      derived_from: [role.cid, city.cid],
      garden_id: null,
    });
  });

  it('appears only in queries by its entity or relation, and makes no card of its own', async () => {
    await cards.say('memory:role', 'engineer');
    await cards.card();
    const relations = async (members: string) => (await query(members)).map(({ relation }) => relation);
    expect(await relations('')).to.deep.equal(['memory:role']);
    expect(await relations('scope=local')).to.deep.equal(['memory:role']);
    expect(await relations('relation=svc:memory:card')).to.deep.equal(['svc:memory:card']);
    expect(await relations(`entity=${ENTITY}`)).to.have.members(['svc:memory:card', 'memory:role']);
    expect((await cards.card({ query: '?refresh=true' })).fact_hashes).to.have.length(1);
  });

  it('is hidden from callers without its scope', async () => {
    await cards.say('memory:role', 'engineer');
    await cards.card();
    const key = await cards.node.addKey({ entityUri: 'agent:other', scopes: ['team', 'company', 'public'] });
    expect(await cards.cardFacts({ key })).to.deep.equal([]);
  });

  it('is written again only when the text of the card changes', async () => {
    await cards.say('memory:role', 'engineer');
    await cards.card();
    await cards.node.clock.advance(1_000);
    await cards.card({ query: '?refresh=true' });
    expect(await cards.cardFacts()).to.have.length(1);
    await cards.say('memory:city', 'Oslo');
    const { summary } = await cards.card();
    const facts = await cards.cardFacts();
    expect(facts).to.have.length(2);
    expect(facts[0].value.v).to.equal(summary);
  });

  it('opens no conflict, and clients cannot assert it', async () => {
    await cards.say('memory:role', 'engineer');
    await cards.card();
    await cards.say('memory:city', 'Oslo');
    await cards.card();
    const { key, node } = cards;
    expect((await node.request('GET', '/v1/conflicts?status=all', { key })).body.conflicts).to.deep.equal([]);
    const value = { type: 'text', v: 'forged' };
    const body = { entity: ENTITY, relation: 'svc:memory:card', value, source: 'agent:s', scope: 'local' };
    const reply = await node.request('POST', '/v1/facts', { key, body });
    expect([reply.status, reply.body.code]).to.deep.equal([403, 'reserved_namespace']);
  });
});

forEachStore('a card whose fact a plugin refuses', () => {
  it('is stored nevertheless', async () => {
    const gatekeeper = defineOwnPlugin({
      name: 'gatekeeper',
      setup: ({ on }) => {
        on(appendAuthorise, ({ items }) => {
          for (const item of items) if (item.fact.system) item.reject(new ServiceError('authorization', 'not here'));
        });
      },
    });
    const cards = await startCardsNode({ plugins: [...CARD_PLUGINS, gatekeeper] });
    await cards.say('memory:role', 'engineer');
    const first = await cards.card();
    await cards.node.clock.advance(1_000);
    const second = await cards.card();
    const facts = await cards.cardFacts();
    await cards.node.stop();
    expect(first.is_stale).to.equal(false);
    expect(second).to.deep.equal(first);
    expect(facts).to.deep.equal([]);
  });
});

forEachStore('cards of a service with another name', () => {
  it('use that name in their facts', async () => {
    const cards = await startCardsNode({ env: { SVC_SERVICE_NAME: 'acme' } });
    const { key, node } = cards;
    await cards.say('memory:role', 'engineer', { entity: 'acme://h/user/Noor' });
    const { summary } = await cards.card({ entity: 'ACME://h/user/Noor' });
    const { facts } = (await node.request('GET', '/v1/facts?relation=acme:memory:card', { key })).body;
    await node.stop();
    expect(summary).to.equal('## Noor\n- memory:role: engineer');
    expect(facts).to.have.length(1);
    expect(facts[0]).to.include({ relation: 'acme:memory:card', source: 'system:acme' });
  });
});
