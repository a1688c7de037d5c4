import { defineOwnPlugin, objectSchema } from '../../kernel/internal-api.ts';
import {
  AsOf,
  Clock,
  Cursors,
  FactFields,
  FactJson,
  Facts,
  NodeSelf,
  noted,
  optional,
  readConstrain,
} from '../../kernel/plugin-api.ts';
import { IntactFacts } from '../facts/facts-api.ts';
import { RelationRules } from '../relations/relations-api.ts';
import { checkMoment } from './check-moment.ts';
import { forgetPast } from './forget-past.ts';
import { historyCommand } from './history/history-command.ts';
import { HISTORY } from './history/history-json.ts';
import { entityHistoryRoute, factHistoryRoute } from './history/history-routes.ts';
import { AS_OF, readAsOf, VALID_AT } from './read-moments.ts';
import { Moments } from './time-travel-api.ts';
import * as words from './time-travel-words.ts';
import { changesRoute } from './timeline/changes-route.ts';
import { timelineRoute } from './timeline/timeline-route.ts';

interface Settings {
  readonly retentionDays: number;
}

/** How often the floor is checked. It moves by whole days. */
const FORGET_INTERVAL_MS = 60 * 60 * 1000;

export const timeTravelPlugin = defineOwnPlugin({
  name: 'time-travel',
  summary: 'Answers as the node would have at an earlier moment, and about what was valid at an instant',
  requires: {
    clock: Clock,
    facts: Facts,
    factJson: FactJson,
    fields: FactFields,
    cursors: Cursors,
    self: NodeSelf,
    intact: optional(IntactFacts),
    rules: optional(RelationRules),
  },
  provides: [Moments],
  declares: [HISTORY, ...Object.values(words), AS_OF, VALID_AT],
  commands: [historyCommand],
  config: objectSchema<Settings>({
    retentionDays: {
      type: 'integer',
      minimum: 0,
      maximum: 36_500,
      default: 0,
      env: 'SVC_TIME_TRAVEL_RETENTION_DAYS',
      description: 'days for which as_of is answered; what only earlier moments need is deleted; 0 keeps all',
    },
  }),
  setup({ config, use, tables, hooks, on, every, provide, route }) {
    const { clock } = use;
    const { retentionDays } = config;
    if (retentionDays > 0) every(FORGET_INTERVAL_MS, () => forgetPast({ tables, clock, hooks, retentionDays }));
    provide(Moments, { asOf: (text, path) => noted(AsOf, readAsOf(text, path)) });
    route(entityHistoryRoute(use));
    route(factHistoryRoute(use));
    route(timelineRoute(use));
    route(changesRoute(use));
    on(readConstrain, (context) => (context.view === 'visible' ? checkMoment(context, clock.nowMs()) : undefined), {
      cacheable: true,
    });
  },
});
