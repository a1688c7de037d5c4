import {
  AsOf,
  Clock,
  Cursors,
  definePlugin,
  FactJson,
  Facts,
  KERNEL_API,
  NodeSelf,
  noted,
  optional,
  readConstrain,
} from '../../kernel/plugin-api.ts';
import { IntactFacts } from '../facts/facts-api.ts';
import { checkMoment } from './check-moment.ts';
import { historyCommand } from './history/history-command.ts';
import { entityHistoryRoute, factHistoryRoute } from './history/history-routes.ts';
import { AS_OF, readAsOf, VALID_AT } from './read-moments.ts';
import { Moments } from './time-travel-api.ts';
import * as words from './time-travel-words.ts';

export const timeTravelPlugin = definePlugin({
  name: 'time-travel',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'Answers as the node would have at an earlier moment, and about what was valid at an instant',
  requires: {
    clock: Clock,
    facts: Facts,
    factJson: FactJson,
    cursors: Cursors,
    self: NodeSelf,
    intact: optional(IntactFacts),
  },
  provides: [Moments],
  declares: [...Object.values(words), AS_OF, VALID_AT],
  commands: [historyCommand],
  setup({ use, on, provide, route }) {
    const { clock } = use;
    provide(Moments, { asOf: (text, path) => noted(AsOf, readAsOf(text, path)) });
    route(entityHistoryRoute(use));
    route(factHistoryRoute(use));
    on(readConstrain, (context) => (context.view === 'visible' ? checkMoment(context, clock.nowMs()) : undefined));
  },
});
