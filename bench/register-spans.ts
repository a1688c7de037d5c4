import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';

/**
 * Loaded with `--import` before a node, as operators load an OpenTelemetry SDK. It records every span and discards it,
 * so that the bench measures spans without a network.
 */

const SUCCESS = 0;
const nowhere: SpanExporter = {
  export: (_spans, done) => done({ code: SUCCESS }),
  shutdown: async () => {},
};
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(nowhere)] }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
