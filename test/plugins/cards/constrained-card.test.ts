import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { equals, not, readConstrain } from '../../../kernel/plugin-api.ts';
import { REFRESH_LIMIT_MS } from '../../../plugins/cards/memory-cards.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { CARD_PLUGINS, type CardsNode, startCardsNode } from './cards-node.ts';
import { createScriptedSummariser } from './scripted-summariser.ts';

/** Hides facts of `agent:left` from `agent:right`, and the reverse. This rule depends on neither scopes nor gardens. */
const partition = defineOwnPlugin({
  name: 'partition',
  setup: ({ on }) => {
    on(readConstrain, ({ caller }) => {
      if (caller.entityUri === 'agent:left') return not(equals('sourceKey', 'agent:right'));
      return caller.entityUri === 'agent:right' ? not(equals('sourceKey', 'agent:left')) : undefined;
    });
  },
});

forEachStore('a card on a node whose plugin hides facts from some readers', () => {
  let cards: CardsNode;
  afterEach(() => cards.node.stop());

  const sayAll = async (): Promise<void> => {
    await cards.say('memory:role', 'engineer');
    await cards.say('memory:a', 'left', { source: 'agent:left' });
    await cards.say('memory:b', 'right', { source: 'agent:right' });
  };

  it('contains only facts that its reader may see, after any other readers', async () => {
    cards = await startCardsNode({ plugins: [...CARD_PLUGINS, partition] });
    await sayAll();
    for (const side of ['left', 'right', 'left'] as const) {
      const key = await cards.node.addKey({ entityUri: `agent:${side}` });
      const { summary } = await cards.card({ key });
      expect(summary.match(/left|right/g)).to.deep.equal([side]);
    }
  });

  it('is never that of another reader while its summary is late', async () => {
    const scripted = createScriptedSummariser();
    cards = await startCardsNode({ plugins: [...CARD_PLUGINS, partition, scripted.plugin] });
    await sayAll();
    const [left, right] = [
      await cards.node.addKey({ entityUri: 'agent:left' }),
      await cards.node.addKey({ entityUri: 'agent:right' }),
    ];
    const first = cards.card({ key: left });
    await comesTrue(() => scripted.asked.length === 1);
    scripted.asked[0]?.answer('for left eyes');
    expect((await first).summary).to.equal('for left eyes');
    const second = cards.card({ key: right });
    await comesTrue(() => scripted.asked.length === 2);
    await cards.node.clock.advance(REFRESH_LIMIT_MS);
    const { summary, card_stale } = await second;
    expect([summary.match(/left|right/g), card_stale]).to.deep.equal([['right'], true]);
  });
});
