import { expect } from 'chai';
import { REFRESH_LIMIT_MS } from '../../../plugins/cards/memory-cards.ts';
import { SUMMARY_LIMIT_MS } from '../../../plugins/cards/running-summaries.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { CARD_PLUGINS, type CardsNode, startCardsNode } from './cards-node.ts';
import { createScriptedSummariser, type ScriptedSummariser } from './scripted-summariser.ts';

forEachStore('a summariser of cards from a third-party plugin', () => {
  let scripted: ScriptedSummariser;
  let cards: CardsNode;
  beforeEach(async () => {
    scripted = createScriptedSummariser();
    cards = await startCardsNode({ plugins: [...CARD_PLUGINS, scripted.plugin] });
  });
  afterEach(() => cards.node.stop());

  /** Waits for this number of summary requests in total, and returns the last one. */
  const asked = async (count: number) => {
    await comesTrue(() => scripted.asked.length === count);
    return scripted.asked[count - 1] as ScriptedSummariser['asked'][number];
  };
  const late = async <T>(reading: Promise<T>, count: number): Promise<T> => {
    await asked(count);
    await cards.node.clock.advance(REFRESH_LIMIT_MS);
    return reading;
  };
  const made = async (summary: string) => {
    const reading = cards.card();
    (await asked(1)).answer(summary);
    return reading;
  };

  it('writes the summary from the facts that the reader sees', async () => {
    await cards.say('memory:role', 'engineer');
    const reading = cards.card();
    const { material, answer } = await asked(1);
    expect(material).to.include({ entity: 'svc://alpha.example/user/noor', scope: 'local' });
    expect(material.facts.map(({ fact }) => fact.value.v)).to.deep.equal(['engineer']);
    answer('She builds.');
    expect(await reading).to.include({ summary: 'She builds.', is_stale: false });
    expect((await cards.card()).summary).to.equal('She builds.');
    expect(scripted.asked).to.have.length(1);
    expect((await cards.cardFacts())[0].value.v).to.equal('She builds.');
  });

  it('does not delay the first reader, who gets a list of facts marked as stale', async () => {
    await cards.say('memory:role', 'engineer');
    const reading = cards.card();
    await asked(1);
    await cards.node.clock.advance(REFRESH_LIMIT_MS - 1);
    const first = await Promise.race([reading, new Promise((resolve) => setImmediate(resolve, 'waits'))]);
    expect(first).to.equal('waits');
    await cards.node.clock.advance(1);
    expect(await reading).to.include({
      summary: '## noor\n- memory:role: engineer',
      is_stale: true,
      card_stale: true,
      force_refresh_timeout: true,
    });
    expect(await cards.cardFacts()).to.deep.equal([]);
  });

  it('leaves the old card in place while it runs; the next reader gets the new summary', async () => {
    await cards.say('memory:role', 'engineer');
    const before = await made('first');
    await cards.say('memory:city', 'Oslo');
    const stale = await late(cards.card({ query: '?force_refresh=true' }), 2);
    expect(stale).to.deep.equal({ ...before, is_stale: true, card_stale: true, force_refresh_timeout: true });
    (await asked(2)).answer('second');
    await comesTrue(async () => (await cards.cardFacts()).length === 2);
    expect(await cards.card()).to.include({ summary: 'second', is_stale: false });
    expect(scripted.asked).to.have.length(2);
  });

  it('is called once for simultaneous readers', async () => {
    await cards.say('memory:role', 'engineer');
    const { pending } = cards.node.clock;
    const readings = ['', '?refresh=true', ''].map((query) => cards.card({ query }));
    // One timer for each reader and one for the summary.
    await comesTrue(() => cards.node.clock.pending === pending + 4);
    expect(scripted.asked).to.have.length(1);
    scripted.asked[0]?.answer('for all');
    for (const reading of readings) expect(await reading).to.include({ summary: 'for all', is_stale: false });
    expect(await cards.cardFacts()).to.have.length(1);
  });

  it('is called again for a reader who sees more facts; its late summary of fewer facts is discarded', async () => {
    await cards.say('memory:role', 'engineer');
    const early = cards.card();
    await asked(1);
    await cards.say('memory:city', 'Oslo');
    const next = cards.card();
    (await asked(2)).answer('both');
    expect(await next).to.include({ summary: 'both', is_stale: false });
    scripted.asked[0]?.answer('the first alone');
    expect((await early).fact_hashes).to.have.length(1);
    expect(await cards.card()).to.deep.equal(await next);
    expect((await cards.cardFacts()).map(({ value }) => value.v)).to.deep.equal(['both']);
  });

  it('leaves the card unchanged after a failure, and is called again for the next reader', async () => {
    await cards.say('memory:role', 'engineer');
    const before = await made('first');
    await cards.say('memory:city', 'Oslo');
    const reading = cards.card();
    (await asked(2)).fail(new Error('no model today'));
    const stale = await reading;
    expect(stale).to.deep.equal({ ...before, is_stale: true, card_stale: true });
    expect(cards.node.logLines.filter(({ level }) => level === 'warn')).to.have.length(1);
    const again = cards.card();
    (await asked(3)).answer('better');
    expect(await again).to.include({ summary: 'better', is_stale: false });
  });

  it('is aborted after a minute, and called again for the next reader', async () => {
    await cards.say('memory:role', 'engineer');
    await late(cards.card(), 1);
    const { signal } = await asked(1);
    await cards.node.clock.advance(SUMMARY_LIMIT_MS);
    expect(signal.aborted).to.equal(true);
    const reading = cards.card();
    (await asked(2)).answer('at last');
    expect(await reading).to.include({ summary: 'at last', is_stale: false });
  });

  it('does not prevent the node from stopping while a summary is running', async () => {
    await cards.say('memory:role', 'engineer');
    await late(cards.card(), 1);
    await cards.node.stop();
    expect(scripted.asked[0]?.signal.aborted).to.equal(true);
  });

  it('causes new summaries of all cards when its id changes', async () => {
    await cards.say('memory:role', 'engineer');
    await made('by the first');
    scripted.id = 'scripted-2';
    const reading = cards.card();
    (await asked(2)).answer('by the second');
    expect((await reading).summary).to.equal('by the second');
  });
});
