import { expect } from 'chai';
import type { FactDraft } from '../../../kernel/plugin-api.ts';
import { gatherMaterial } from '../../../plugins/cards/gather-material.ts';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type CardsNode, ENTITY, startCardsNode } from './cards-node.ts';

const WRITER = createPrincipal({ entityUri: 'agent:w', permissions: new Set(['read', 'write']) });
/** More live facts than a card compares with each other. */
const VERY_MANY = 20_000;
const LONG = 40_000;

const draft = (n: number, bytes: number, members: Partial<FactDraft> = {}): FactDraft => ({
  entity: ENTITY,
  relation: `memory:n${n}`,
  value: { type: 'text', v: 'x'.repeat(bytes), interpretAs: 'content' },
  source: 'agent:s',
  confidence: 1,
  scope: 'local',
  ...members,
});

forEachStore('a card of an entity with long values', () => {
  const counter = createStoreCounter();
  let cards: CardsNode;
  beforeEach(async () => {
    cards = await startCardsNode({ wrapStore: counter.count });
  });
  afterEach(() => cards.node.stop());

  it('reads only the values that it contains, also of an entity with very many facts', async () => {
    const drafts = Array.from({ length: 120 }, (_, n) => draft(n, LONG, { confidence: (n + 1) / 200 }));
    await cards.node.facts.appendAll(drafts, WRITER);
    const subject = { entityKey: ENTITY, scope: 'local' } as const;
    let relations: readonly string[] = [];
    const { characters } = await counter.during(() =>
      cards.node.facts.read(WRITER, 'query', async (reader) => {
        const material = await gatherMaterial(reader, subject, VERY_MANY);
        relations = (material?.facts ?? []).map(({ fact }) => fact.relation);
      }),
    );
    expect(relations).to.deep.equal(Array.from({ length: 20 }, (_, n) => `memory:n${119 - n}`));
    expect(characters).to.be.below(30 * LONG);
  });

  it('contains as many of the strongest facts as fit into 4 MiB', async () => {
    const drafts = Array.from({ length: 6 }, (_, n) => draft(n, 1_000_000, { confidence: 1 - n / 10 }));
    await cards.node.facts.appendAll(drafts, WRITER);
    const { fact_hashes: hashes, summary } = await cards.card();
    expect(hashes).to.have.length(4);
    expect(summary.match(/memory:n\d/g)).to.deep.equal(['memory:n0', 'memory:n1', 'memory:n2', 'memory:n3']);
  });

  it('reads the value of a new fact once', async () => {
    await cards.say('memory:role', 'engineer');
    await cards.card();
    await cards.node.facts.appendAll([draft(1, 500_000)], WRITER);
    const { characters } = await counter.during(() => cards.card());
    expect(characters).to.be.below(2 * 500_000);
  });
});
