import { defineOwnPlugin } from '../../kernel/internal-api.ts';
import { Clock, NodeSelf, NodeSettings, optional, Telemetry } from '../../kernel/plugin-api.ts';
import { AuditLog } from '../audit/audit-api.ts';
import { metricsRoute } from './metrics-route.ts';
import { NeighbourMetrics, WRITE_INTERVAL_MS } from './neighbour-metrics.ts';
import { NodeMetrics } from './node-metrics.ts';
import { SeriesMeter } from './series-meter.ts';

export const metricsPlugin = defineOwnPlugin({
  name: 'metrics',
  summary: 'Shows what the node measures of itself to Prometheus',
  requires: { telemetry: Telemetry, clock: Clock, self: NodeSelf, node: NodeSettings, audit: optional(AuditLog) },
  setup({ use, log, route, every, onStop, dataFolder }) {
    const { telemetry, clock, self, node, audit } = use;
    const unread = telemetry.counter({
      name: 'metrics_unread_gauges_total',
      help: 'Gauges that could not be read for a scrape and were left out of it',
      labels: ['gauge'],
    });
    const meter = new SeriesMeter();
    onStop(telemetry.attachMeter(meter));
    const place = node.workerPlace;
    const shared =
      place === undefined
        ? undefined
        : { place, neighbours: new NeighbourMetrics({ clock, folder: dataFolder(), place, log }) };
    const failed = (gauge: { readonly name: string }): void => unread.add(1, { gauge: gauge.name });
    const metrics = new NodeMetrics({ telemetry, meter, names: self.names, clock, log, shared, failed });
    if (shared !== undefined) {
      every(WRITE_INTERVAL_MS, async () => shared.neighbours.write(await metrics.ofProcess()));
      onStop(() => shared.neighbours.end());
    }
    // Without the plugin audit, its permission does not exist.
    route(metricsRoute(metrics, audit !== undefined));
  },
});
