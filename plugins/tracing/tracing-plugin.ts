import { defineOwnPlugin, NODE_VERSION } from '../../kernel/internal-api.ts';
import { NodeSelf, Telemetry } from '../../kernel/plugin-api.ts';
import { hasSdk, OtelTracer } from './otel-tracer.ts';

export const tracingPlugin = defineOwnPlugin({
  name: 'tracing',
  summary: 'Hands spans of the work to the OpenTelemetry SDK that the process was started with; without one it rests',
  requires: { telemetry: Telemetry, self: NodeSelf },
  setup({ use, log, onStop }) {
    const name = `${use.self.names.name}-node`;
    // Without an SDK nothing is recorded, so no spans are created at all.
    if (!hasSdk(name)) return;
    onStop(use.telemetry.attachTracer(new OtelTracer(name, NODE_VERSION)));
    log.info('spans are handed to OpenTelemetry');
  },
});
