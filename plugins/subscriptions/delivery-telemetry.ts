import type { PluginTables, Telemetry } from '../../kernel/plugin-api.ts';
import type { Outcome } from './outbox-store.ts';
import { EVENTS } from './subscription-store.ts';

/** More are not counted, so that a long queue costs a scrape no more than this. */
const MOST_COUNTED = 10_000;

/** Measures the queue of deliveries; returns what to call with the outcome of each. */
export const measureDeliveries = (telemetry: Telemetry, tables: PluginTables): ((outcome: Outcome) => void) => {
  const deliveries = telemetry.counter({
    name: 'subscriptions_deliveries_total',
    help: 'Attempts to deliver an event to a webhook, by what became of them',
    labels: ['result'],
  });
  telemetry.gauge(
    {
      name: 'subscriptions_waiting_events',
      help: `Events that wait for their delivery, counted up to ${MOST_COUNTED}`,
      of: 'store',
    },
    async () => {
      const waiting: unknown[] = await tables(EVENTS).whereNotNull('due_ms').select('seq').limit(MOST_COUNTED);
      return waiting.length;
    },
  );
  return ({ kind }) => deliveries.add(1, { result: kind });
};
