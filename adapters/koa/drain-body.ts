import type { IncomingMessage } from 'node:http';

/**
 * Reads and discards the rest of a body. Resolves at its end, when the connection ends, or at a limit of time or bytes.
 * A client that sends beyond the limit loses the connection.
 */
export const drainBody = (message: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    let left = MAX_DRAIN_BYTES;
    const stop = (): void => {
      clearTimeout(timer);
      message.off('data', onData).off('end', stop).off('error', stop).off('close', stop);
      message.on('error', () => {});
      message.pause();
      resolve();
    };
    const onData = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left <= 0) stop();
    };
    const timer = setTimeout(stop, MAX_DRAIN_MS);
    if (message.destroyed || message.complete) stop();
    else message.on('data', onData).on('end', stop).on('error', stop).on('close', stop).resume();
  });

const MAX_DRAIN_MS = 1_000;
const MAX_DRAIN_BYTES = 32 * 1024 * 1024;
