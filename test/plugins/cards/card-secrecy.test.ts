import { expect } from 'chai';
import fc from 'fast-check';
import { type FactDraft, NodeSelf, nodePrincipal, SCOPES } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { CARD_PLUGINS, type CardsNode, ENTITY, gardenDoors, startCardsNode } from './cards-node.ts';

const [ROSES, HERBS] = ['6f1f6d5e-0000-4000-8000-000000000001', '6f1f6d5e-0000-4000-8000-000000000002'] as const;

const DOORS = gardenDoors({
  'agent:roses': [ROSES],
  'agent:herbs': [HERBS],
  'agent:both': [ROSES, HERBS],
  'agent:keeper': 'all',
});

forEachStore('a card whose entity has facts in gardens', () => {
  let cards: CardsNode;
  beforeEach(async () => {
    cards = await startCardsNode({ plugins: [...CARD_PLUGINS, DOORS] });
  });
  afterEach(() => cards.node.stop());

  const plant = (relation: string, v: string, members: Partial<FactDraft> = {}) => {
    const { names } = cards.node.kernel.get(NodeSelf);
    const value = { type: 'string', v, interpretAs: 'content' } as const;
    const draft = { entity: ENTITY, relation, value, source: 'agent:s', confidence: 1, scope: 'local' as const };
    return cards.node.facts.append({ ...draft, ...members }, nodePrincipal(names));
  };
  const keyOf = (entityUri: string) => cards.node.addKey({ entityUri });

  it('is never shared by readers of different gardens', async () => {
    await plant('memory:role', 'engineer');
    await plant('memory:a', 'thorns', { gardenId: ROSES });
    await plant('memory:b', 'mint', { gardenId: HERBS });
    const summaries: Record<string, string> = {};
    for (const name of ['agent:keeper', 'agent:both', 'agent:roses', 'agent:herbs', 'agent:stranger']) {
      summaries[name] = (await cards.card({ key: await keyOf(name) })).summary;
    }
    const saysOf = (...words: string[]) => words.map((name) => summaries[name]?.match(/thorns|mint/g)?.sort() ?? []);
    expect(saysOf('agent:keeper', 'agent:both', 'agent:roses', 'agent:herbs', 'agent:stranger')).to.deep.equal([
      ['mint', 'thorns'],
      ['mint', 'thorns'],
      ['thorns'],
      ['mint'],
      [],
    ]);
  });

  it('is stored as a fact only if every reader of that fact may read its sources', async () => {
    await plant('memory:role', 'engineer');
    await plant('memory:a', 'thorns', { gardenId: ROSES });
    await plant('memory:b', 'mint', { gardenId: HERBS });
    for (const name of ['agent:keeper', 'agent:both', 'agent:roses', 'agent:stranger']) {
      await cards.card({ key: await keyOf(name) });
    }
    const seenBy = async (name: string) =>
      (await cards.cardFacts({ key: await keyOf(name) })).map(({ value }) => /thorns|mint/.exec(value.v)?.[0]).sort();
    expect(await seenBy('agent:stranger')).to.deep.equal([undefined]);
    expect(await seenBy('agent:herbs')).to.deep.equal([undefined]);
    expect(await seenBy('agent:keeper')).to.have.members([undefined, 'thorns']);
  });

  it('is stored once for all readers, members of gardens too, while its entity has no fact in a garden', async () => {
    await plant('memory:role', 'engineer');
    for (const name of ['agent:keeper', 'agent:both', 'agent:roses', 'agent:stranger']) {
      await cards.card({ key: await keyOf(name) });
    }
    expect(await cards.cardFacts({ key: await keyOf('agent:stranger') })).to.have.length(1);
  });

  it('does not depend on hidden facts, after requests of any other readers', async () => {
    const hidden = fc.array(
      fc.record({
        relation: fc.constantFrom('memory:role', 'memory:city', 'memory:other'),
        v: fc.constantFrom('engineer', 'Oslo', 'secret'),
        confidence: fc.constantFrom(0, 0.3, 0.8, 1),
        place: fc.constantFrom(...SCOPES.slice(1), ROSES, HERBS),
        isRead: fc.boolean(),
      }),
      { maxLength: 8 },
    );
    let n = 0;
    await fc.assert(
      fc.asyncProperty(hidden, async (facts) => {
        n += 1;
        const [bare, among] = [`user:bare-${n}`, `user:also-${n}`];
        for (const entity of [bare, among]) {
          await plant('memory:role', 'engineer', { entity, confidence: 0.8 });
          await plant('memory:city', 'Oslo', { entity });
          await plant('memory:city', 'Bergen', { entity, confidence: 0.5 });
        }
        const reader = await cards.node.addKey({ entityUri: 'agent:reader', scopes: ['local'] });
        const keeper = await keyOf('agent:keeper');
        const shown = async (entity: string) => {
          const { fact_hashes, ...card } = await cards.card({ entity, key: reader });
          const seen = await cards.cardFacts({ entity, key: reader });
          const words = JSON.stringify([
            card,
            fact_hashes.length,
            seen.map(({ value, confidence }) => [value, confidence]),
          ]);
          return words.replaceAll(entity, 'user:x').replaceAll(entity.slice(5), 'x');
        };
        for (const { relation, v, confidence, place, isRead } of facts) {
          const scope = SCOPES.find((name) => name === place);
          const where = scope === undefined ? { gardenId: place } : { scope };
          await plant(relation, v, { entity: among, confidence, ...where });
          if (!isRead) continue;
          await cards.ask({ entity: among, key: keeper });
          expect(await shown(among)).to.equal(await shown(bare));
        }
        expect(await shown(among)).to.equal(await shown(bare));
      }),
      { numRuns: Math.min(RUNS, 15) },
    );
  });
});
