import { NODE_VERSION } from '../../kernel/internal-api.ts';
import { definePlugin, KERNEL_API, NodeSelf, Telemetry } from '../../kernel/plugin-api.ts';
import { hasSdk, OtelTracer } from './otel-tracer.ts';

const VERSION = NODE_VERSION;

export const tracingPlugin = definePlugin({
  name: 'tracing',
  version: VERSION,
  kernelApi: KERNEL_API,
  summary: 'Hands spans of the work to the OpenTelemetry SDK that the process was started with; without one it rests',
  requires: { telemetry: Telemetry, self: NodeSelf },
  setup({ use, log, onStop }) {
    const name = `${use.self.names.name}-node`;
    // Without an SDK nothing is recorded, so no spans are created at all.
    if (!hasSdk(name)) return;
    onStop(use.telemetry.attachTracer(new OtelTracer(name, VERSION)));
    log.info('spans are handed to OpenTelemetry');
  },
});
