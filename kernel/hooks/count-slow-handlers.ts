import type { Telemetry } from '../telemetry/telemetry-api.ts';

const MOST_SERIES = 500;

/**
 * Counts slow handlers in a metric, because they block a request or a transaction, and otherwise only the log shows
 * them.
 */
export const countSlowHandlers = (telemetry: Telemetry): ((plugin: string, hook: string) => void) => {
  const slow = telemetry.counter({
    name: 'hooks_slow_handlers_total',
    help: 'Handlers of plugins that took longer than 100 ms, which holds up a request or a transaction',
    labels: ['plugin', 'hook'],
    maxSeries: MOST_SERIES,
  });
  return (plugin, hook) => slow.add(1, { plugin, hook });
};
