import { MessageChannel } from 'node:worker_threads';
import { openWriter, type SqliteFile } from '../../../adapters/sqlite/open-connection.ts';
import { serveWriter } from '../../../adapters/sqlite/writer/serve-writer.ts';
import type { WriterHost } from '../../../adapters/sqlite/writer/writer-thread.ts';

/** Runs the writer in the thread of the test instead of its own, so that injected driver faults reach it. */
export const startInSameThread = (file: SqliteFile): WriterHost => {
  const { port1, port2 } = new MessageChannel();
  serveWriter(port2, () => openWriter(file));
  return {
    on: (event: string, listener: (given: never) => void) =>
      port1.on(event === 'exit' ? 'close' : event, listener as (given: unknown) => void),
    postMessage: (steps) => port1.postMessage(steps),
    ref: () => port1.ref(),
    unref: () => port1.unref(),
  };
};
