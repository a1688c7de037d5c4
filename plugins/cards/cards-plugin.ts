import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import { Clock, erasureSweeps, Facts, factCommitted, NodeSelf, optional } from '../../kernel/plugin-api.ts';
import { JobQueue } from '../jobs/jobs-api.ts';
import { recallSummary } from '../recall/recall-api.ts';
import { Moments } from '../time-travel/time-travel-api.ts';
import { cardRoute } from './card-route.ts';
import { CardStore, SEALED } from './card-store.ts';
import { CARD_REFRESH_TIMEOUT, cardForRecall } from './card-substitution.ts';
import { CardSummariser, MemoryCards } from './cards-api.ts';
import { cardsContents, cardsMigrations } from './cards-migrations.ts';
import { StoredCards } from './memory-cards.ts';
import { REFRESH_JOB, RefreshCards, refreshHandler } from './refresh-cards.ts';
import { summariseByExtract } from './summarise-by-extract.ts';
import { sweepCards } from './sweep-cards.ts';

interface Settings {
  readonly maxAgeSeconds: number;
}

const DAY_S = 86_400;
const LOOK_INTERVAL_MS = 1_000;

export const cardsPlugin = defineOwnPlugin({
  name: 'cards',
  summary:
    'Keeps a short summary of each entity, with all rivals of a contradiction, for those who may read what it is made of',
  requires: {
    facts: Facts,
    clock: Clock,
    self: NodeSelf,
    jobs: optional(JobQueue),
    summariser: optional(CardSummariser),
    moments: optional(Moments),
  },
  config: objectSchema<Settings>({
    maxAgeSeconds: {
      type: 'integer',
      minimum: 1,
      maximum: 31_536_000,
      default: DAY_S,
      env: 'SVC_CARD_MAX_AGE_S',
      description: 'seconds after which a card is made anew even if nothing has changed',
    },
  }),
  provides: [MemoryCards],
  declares: [CARD_REFRESH_TIMEOUT],
  migrations: cardsMigrations,
  contents: cardsContents,
  sealed: [SEALED],
  setup({ config, use, tables, log, on, every, provide, route, onStop }) {
    const { jobs, self, summariser = summariseByExtract } = use;
    const store = new CardStore(tables);
    const cards = new StoredCards({ ...use, store, summariser, log, maxAgeMs: config.maxAgeSeconds * 1000 });
    provide(MemoryCards, cards);
    route(cardRoute(cards, use.moments !== undefined));
    on(erasureSweeps, () => [sweepCards(tables)]);
    on(recallSummary, async (found, request) =>
      found.fact === null ? await cardForRecall(request, cards, self.names) : found,
    );
    onStop(() => cards.stop());
    if (jobs === undefined) return;
    const refresh = new RefreshCards({ store, jobs, self });
    jobs.handle(REFRESH_JOB, refreshHandler(cards));
    on(factCommitted, ({ facts }) => refresh.noticed(facts));
    every(LOOK_INTERVAL_MS, () => refresh.look());
  },
});
