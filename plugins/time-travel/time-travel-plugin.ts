import { AsOf, Clock, definePlugin, KERNEL_API, noted, readConstrain } from '../../kernel/plugin-api.ts';
import { checkMoment } from './check-moment.ts';
import { AS_OF, readAsOf, VALID_AT } from './read-moments.ts';
import { Moments } from './time-travel-api.ts';
import * as words from './time-travel-words.ts';

export const timeTravelPlugin = definePlugin({
  name: 'time-travel',
  version: '0.9.0-alpha.1',
  kernelApi: KERNEL_API,
  summary: 'Answers as the node would have at an earlier moment, and about what was valid at an instant',
  requires: { clock: Clock },
  provides: [Moments],
  declares: [...Object.values(words), AS_OF, VALID_AT],
  setup({ use, on, provide }) {
    const { clock } = use;
    provide(Moments, { asOf: (text, path) => noted(AsOf, readAsOf(text, path)) });
    on(readConstrain, (context) => (context.view === 'visible' ? checkMoment(context, clock.nowMs()) : undefined));
  },
});
