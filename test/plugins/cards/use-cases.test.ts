import { expect } from 'chai';
import { MemoryCards } from '../../../plugins/cards/cards-api.ts';
import { createPrincipal } from '../../kit/create-principal.ts';
import { rejection } from '../../kit/rejection.ts';
import { type CardsNode, ENTITY, startCardsNode } from './cards-node.ts';

const reader = createPrincipal({ permissions: new Set(['read']) });

describe('memory cards without HTTP', () => {
  let made: CardsNode;
  let cards: MemoryCards;
  beforeEach(async () => {
    made = await startCardsNode();
    cards = made.node.kernel.get(MemoryCards);
  });
  afterEach(() => made.node.stop());

  it('are read by entity, in scope local by default', async () => {
    const fact = await made.say('memory:role', 'archivist');
    const card = await cards.read(reader, { entity: ENTITY.toUpperCase().replace('SVC', 'svc') });
    expect(card).to.deep.include({ scope: 'local', factIds: [fact.id], averageConfidence: 1, isStale: false });
    expect(card.summary).to.include('archivist');
  });

  it('are cached until something changes, or the caller requests a new one', async () => {
    await made.say('memory:role', 'archivist');
    const first = await cards.read(reader, { entity: ENTITY });
    await made.node.clock.advance(1_000);
    expect(await cards.read(reader, { entity: ENTITY })).to.deep.equal(first);
    const anew = await cards.read(reader, { entity: ENTITY, refresh: true });
    expect(anew.refreshedAt).not.to.equal(first.refreshedAt);
  });

  it('are refused to callers without the permission or the scope', async () => {
    await made.say('memory:role', 'archivist');
    const writer = createPrincipal({ permissions: new Set(['write']) });
    const ofTeam = createPrincipal({ allowedScopes: new Set(['team']) });
    for (const caller of [writer, ofTeam]) {
      expect(await rejection(cards.read(caller, { entity: ENTITY }))).to.include({ code: 'authorization' });
    }
  });

  it('require a valid entity with a live fact', async () => {
    expect(await rejection(cards.read(reader, { entity: ENTITY }))).to.include({ code: 'lookup' });
    expect(await rejection(cards.read(reader, { entity: ' ' }))).to.include({ code: 'validation', status: 400 });
  });
});
