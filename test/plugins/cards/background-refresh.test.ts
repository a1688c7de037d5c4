import { expect } from 'chai';
import { NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { REFRESH_JOB } from '../../../plugins/cards/refresh-cards.ts';
import { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { CARD_PLUGINS, type CardsNode, ENTITY, gardenDoors, startCardsNode } from './cards-node.ts';

const GARDEN = '6f1f6d5e-0000-4000-8000-000000000001';
/** Interval of the poll for changes, and of the poll for jobs. */
const TICK_MS = 1_000;

forEachStore('a card that is refreshed in the background', () => {
  let cards: CardsNode;
  const start = async (doors: Parameters<typeof gardenDoors>[0] = {}) => {
    cards = await startCardsNode({ plugins: [...CARD_PLUGINS, 'jobs', gardenDoors(doors)] });
  };
  afterEach(() => cards.node.stop());

  const newestCardFact = async (entity = ENTITY): Promise<string | undefined> =>
    (await cards.cardFacts({ entity }))[0]?.value.v;
  const ticksUntil = (holds: () => Promise<boolean>): Promise<void> =>
    comesTrue(async () => {
      await cards.node.clock.advance(TICK_MS);
      return holds();
    });
  /** Waits long enough for a refresh: until the card of another entity is refreshed. */
  const letOthersBeRefreshed = async (): Promise<void> => {
    const entity = 'user:witness';
    await cards.say('memory:role', 'one', { entity });
    await cards.card({ entity });
    await cards.say('memory:city', 'two', { entity });
    await ticksUntil(async () => (await newestCardFact(entity))?.includes('two') === true);
  };

  const jobIsDone = (): Promise<void> =>
    ticksUntil(async () => {
      const store = cards.node.kernel.get(FactStore);
      const done = { job_type: REFRESH_JOB, status: 'done' };
      return (await store.read((snapshot) => snapshot.select('jobs_queue', done))).length > 0;
    });

  it('is refreshed soon after a commit, so that the next reader gets a current card', async () => {
    await start();
    await cards.say('memory:role', 'engineer');
    await cards.card();
    await cards.say('memory:city', 'Oslo');
    await ticksUntil(async () => (await newestCardFact())?.includes('Oslo') === true);
    const { refreshed_at } = await cards.card();
    await cards.node.clock.advance(TICK_MS);
    expect(await cards.card()).to.include({ refreshed_at, is_stale: false });
  });

  it('is not created for an entity that had no stored card', async () => {
    await start();
    await cards.say('memory:role', 'engineer');
    await letOthersBeRefreshed();
    expect(await newestCardFact()).to.equal(undefined);
  });

  it('holds no facts of gardens; a card with such facts is refreshed for its next reader', async () => {
    await start({ 'agent:test': [GARDEN] });
    await cards.say('memory:role', 'engineer');
    await cards.card({ key: await cards.node.addKey({ entityUri: 'agent:outsider' }) });
    await cards.card();
    const { names } = cards.node.kernel.get(NodeSelf);
    const value = { type: 'string', v: 'secret', interpretAs: 'content' } as const;
    const draft = {
      entity: ENTITY,
      relation: 'memory:x',
      value,
      source: 'agent:s',
      confidence: 1,
      scope: 'local',
    } as const;
    await cards.node.facts.append({ ...draft, gardenId: GARDEN }, nodePrincipal(names));
    await cards.say('memory:city', 'Oslo');
    await jobIsDone();
    expect(await newestCardFact())
      .to.include('Oslo')
      .and.not.include('secret');
    expect((await cards.card()).summary).to.include('secret');
  });

  it('is refreshed only for its next reader if the node itself may read gardens', async () => {
    await start({ 'system:svc': [GARDEN] });
    await cards.say('memory:role', 'engineer');
    await cards.card();
    await cards.say('memory:city', 'Oslo');
    await jobIsDone();
    expect(await cards.cardFacts()).to.have.length(1);
    expect((await cards.card()).summary).to.include('Oslo');
  });
});
