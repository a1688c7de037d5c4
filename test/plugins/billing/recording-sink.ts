import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { type BillingEvent, BillingSink } from '../../../plugins/billing/billing-api.ts';

/** Keeps billing events in memory. A test can make it fail or pause. */
export interface RecordingSink extends BillingSink {
  readonly events: BillingEvent[];
  /** Number of events in each successful call. */
  readonly writes: number[];
  failing: boolean;
  paused: boolean;
  /** Number of calls that wait for the end of a pause. */
  readonly waiting: number;
  /** The plugin that provides the sink to a node. */
  readonly plugin: AnyPlugin;
}

export const createRecordingSink = (): RecordingSink => {
  let waiting = 0;
  const sink: RecordingSink = {
    paused: false,
    get waiting() {
      return waiting;
    },
    events: [],
    writes: [],
    failing: false,
    async write(events) {
      if (sink.failing) throw new Error('the sink is down');
      waiting += 1;
      while (sink.paused) await new Promise((resolve) => setImmediate(resolve));
      waiting -= 1;
      sink.events.push(...events);
      sink.writes.push(events.length);
    },
    plugin: defineOwnPlugin({
      name: 'recording-billing',
      provides: [BillingSink],
      setup: ({ provide }) => provide(BillingSink, sink),
    }),
  };
  return sink;
};
