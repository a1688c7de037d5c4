import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

export interface RecordedSpans {
  /** Returns the ended spans, in the order of their ends. */
  spans(): readonly ReadableSpan[];
  named(name: string): readonly ReadableSpan[];
  /** Removes the SDK again. */
  end(): Promise<void>;
}

/** Registers an OpenTelemetry SDK that collects spans in memory, as an operator does with `--import`. */
export const recordSpans = (): RecordedSpans => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return {
    spans: () => exporter.getFinishedSpans(),
    named: (name) => exporter.getFinishedSpans().filter((span) => span.name === name),
    end: async () => {
      await provider.shutdown();
      trace.disable();
      context.disable();
    },
  };
};
