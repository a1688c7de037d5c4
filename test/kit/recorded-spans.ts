import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

export interface RecordedSpans {
  /** Spans that have ended, in the order of their ends. */
  spans(): readonly ReadableSpan[];
  named(name: string): readonly ReadableSpan[];
  /** Takes the SDK away again. */
  end(): Promise<void>;
}

/** Registers an SDK in this process, as an operator does with `--import`, that keeps spans in memory. */
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
