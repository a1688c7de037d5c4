import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import { type HookCaller, NodeSelf, nodePrincipal, SCOPES, type Scope } from '../../../kernel/plugin-api.ts';
import { CARD_REFRESH_TIMEOUT } from '../../../plugins/cards/card-substitution.ts';
import { REFRESH_LIMIT_MS } from '../../../plugins/cards/memory-cards.ts';
import { isContradicted } from '../../../plugins/conflicts/conflicts-api.ts';
import { recallSummary } from '../../../plugins/recall/recall-api.ts';
import type { SearchView } from '../../../plugins/search/search-api.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { CARD_PLUGINS, type CardsNode, ENTITY, gardenDoors, startCardsNode } from './cards-node.ts';
import { createScriptedSummariser } from './scripted-summariser.ts';

const GARDEN = '6f1f6d5e-0000-4000-8000-000000000001';

interface Asking {
  readonly entity?: string;
  readonly forceRefresh?: boolean;
  readonly scopes?: readonly Scope[];
  readonly onlyGarden?: string;
  readonly minConfidence?: number;
}

forEachStore('an entity in the result of a recall', () => {
  let cards: CardsNode;
  let hooks: HookCaller;
  /** Replaces the plugin recall: it calls the hook. */
  const caller = defineOwnPlugin({
    name: 'recall-caller',
    setup: (context) => {
      hooks = context.hooks;
    },
  });
  const start = async (...extra: readonly (typeof caller)[]): Promise<void> => {
    cards = await startCardsNode({ plugins: [...CARD_PLUGINS, caller, ...extra] });
  };
  afterEach(() => cards.node.stop());

  const asks = async (asking: Asking = {}) => (await summaryFor(asking)).fact;
  const summaryFor = ({
    entity = ENTITY,
    forceRefresh = false,
    scopes = SCOPES,
    onlyGarden,
    minConfidence = 0.1,
  }: Asking = {}) => {
    const principal = nodePrincipal(cards.node.kernel.get(NodeSelf).names);
    return cards.node.facts.read(principal, 'recall', (reader) => {
      const { gardens, nowMs } = reader;
      const view: SearchView = { tenantId: 'default', scopes, gardens, onlyGarden, nowMs, minConfidence };
      const request = { caller: principal, reader, view, query: '', depth: 2, entity, forceRefresh };
      return hooks.filter(recallSummary, { fact: null, degraded: [] }, request);
    });
  };

  it('is summed up by its card if that is fresh', async () => {
    await start();
    await cards.say('memory:role', 'engineer', { confidence: 0.75 });
    expect(await asks()).to.equal(null);
    const { summary } = await cards.card();
    const entity = ENTITY.toUpperCase();
    const view = await asks({ entity });
    expect(view).to.deep.include({ marks: {} });
    expect(view?.fact).to.deep.include({
      id: `card:${entity}`,
      entity,
      relation: 'svc:memory:card',
      source: 'system:svc',
      value: { type: 'text', v: summary, interpretAs: 'content' },
      confidence: 0.75,
      scope: 'local',
      timestamp: '2026-03-02T09:00:00.000Z',
      hlcText: `${Date.UTC(2026, 2, 2, 9)}.0`,
    });
  });

  it('is shown as single facts while its card is stale, unless the request allows a refresh', async () => {
    await start();
    await cards.say('memory:role', 'engineer');
    await cards.card();
    await cards.say('memory:role', 'pilot');
    expect(await asks()).to.equal(null);
    const view = await asks({ forceRefresh: true });
    expect(view?.fact.value.v).to.include('engineer').and.include('pilot');
    expect(view !== null && isContradicted(view)).to.equal(true);
    expect((await asks())?.fact.value.v).to.equal(view?.fact.value.v);
  });

  it('is shown as single facts if its card has less confidence than the request requires', async () => {
    await start();
    await cards.say('memory:role', 'engineer', { confidence: 1 });
    await cards.say('memory:city', 'Oslo', { confidence: 0.5 });
    await cards.card();
    expect(await asks({ minConfidence: 0.51 })).to.equal(null);
    expect((await asks({ minConfidence: 0.5 }))?.fact.value.v).to.include('Oslo');
  });

  it('is shown as single facts if they are in several scopes or in a garden, or if it has no card', async () => {
    await start();
    await cards.say('memory:role', 'engineer');
    await cards.card();
    expect(await asks({ onlyGarden: GARDEN })).to.equal(null);
    expect(await asks({ scopes: ['public'], forceRefresh: true })).to.equal(null);
    expect(await asks({ entity: 'user:nobody', forceRefresh: true })).to.equal(null);
    await cards.say('memory:role', 'speaker', { scope: 'public' });
    expect(await asks({ forceRefresh: true })).to.equal(null);
    expect((await asks({ scopes: ['local'] }))?.fact.value.v).to.include('engineer');
  });

  it('never shows the card of readers who are members of other gardens', async () => {
    await start(gardenDoors({ 'agent:test': [GARDEN] }));
    await cards.say('memory:role', 'engineer');
    await cards.card();
    expect(await asks()).to.equal(null);
  });

  it('is shown as single facts if the summary of its card is late', async () => {
    const scripted = createScriptedSummariser();
    await start(scripted.plugin);
    await cards.say('memory:role', 'engineer');
    const asking = summaryFor({ forceRefresh: true });
    await comesTrue(() => scripted.asked.length === 1);
    await cards.node.clock.advance(REFRESH_LIMIT_MS);
    expect(await asking).to.deep.equal({ fact: null, degraded: [CARD_REFRESH_TIMEOUT] });
  });
});
