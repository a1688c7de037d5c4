import type { PluginTables, Telemetry } from '../../kernel/plugin-api.ts';
import type { Outcome } from './outbox-store.ts';
import { EVENTS } from './subscription-store.ts';

/** The maximum number of counted events. It limits the cost of a scrape. */
const MOST_COUNTED = 10_000;

/** Measures the delivery queue. Returns a function that the runner calls with each outcome. */
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
