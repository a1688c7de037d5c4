import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { CARD_PLUGINS, type CardsNode, startCardsNode } from './cards-node.ts';

forEachStore('a card as of a past moment', () => {
  let cards: CardsNode;
  beforeEach(async () => {
    cards = await startCardsNode({ plugins: [...CARD_PLUGINS, 'time-travel'] });
  });
  afterEach(() => cards.node.stop());

  const pause = () => cards.node.clock.advance(1_000);
  const now = (): string => new Date(cards.node.clock.nowMs()).toISOString();

  it('lists the facts that were live then, and is neither stored nor stale', async () => {
    const role = await cards.say('memory:role', 'archivist');
    const moment = now();
    await pause();
    await cards.say('memory:role', 'archivist', { confidence: 0 });
    await cards.say('memory:home', 'the harbour');
    await pause();
    const present = await cards.card();
    expect(present.summary).to.equal('## noor\n- memory:home: the harbour');
    const stored = await cards.cardFacts();
    const past = await cards.card({ query: `?as_of=${moment}` });
    expect(past).to.deep.include({
      summary: '## noor\n- memory:role: archivist',
      refreshed_at: moment,
      is_stale: false,
      contradicted_count: 0,
    });
    expect(past.fact_hashes).to.have.length(1);
    expect((await cards.card({ query: `?as_of=${role.hlc}` })).fact_hashes).to.deep.equal(past.fact_hashes);
    expect(await cards.cardFacts()).to.deep.equal(stored);
    expect(await cards.card()).to.deep.equal(present);
  });

  it('replies 404 for a moment before the first fact, and 400 for an invalid or future moment', async () => {
    const before = now();
    await pause();
    await cards.say('memory:role', 'archivist');
    const unknown = await cards.ask({ query: `?as_of=${before}` });
    expect([unknown.status, unknown.body.code]).to.deep.equal([404, 'lookup']);
    const later = new Date(cards.node.clock.nowMs() + 1_000).toISOString();
    for (const [query, code] of [
      ['?as_of=yesterday', 'as_of_invalid_timestamp'],
      [`?as_of=${later}`, 'as_of_future'],
    ] as const) {
      const reply = await cards.ask({ query });
      expect([reply.status, reply.body.code], query).to.deep.equal([400, code]);
    }
  });
});

describe('a card as of a past moment, on a node without the time-travel plugin', () => {
  it('is refused', async () => {
    const cards = await startCardsNode();
    try {
      await cards.say('memory:role', 'archivist');
      const reply = await cards.ask({ query: '?as_of=2026-01-01T00:00:00Z' });
      expect([reply.status, reply.body.errors[0].path]).to.deep.equal([400, 'query.as_of']);
    } finally {
      await cards.node.stop();
    }
  });
});
