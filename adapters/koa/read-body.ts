import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../ports/ports.ts';

/**
 * Reads a body. Refuses a declared length beyond `maxBytes` without reading, and stops at the first chunk that exceeds
 * it. The writer of the reply discards the rest. `announce` runs before the first byte is read, and sends `100
 * Continue` to a client that expects it.
 */
export const readBody = (
  message: IncomingMessage,
  maxBytes: number,
  announce: (() => void) | undefined,
): Promise<Uint8Array> => {
  if (!hasBody(message)) return Promise.resolve(NOTHING);
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge(maxBytes));
  announce?.();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      message.pause();
      message.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
      reject(tooLarge(maxBytes));
    };
    // Leaves the listeners on a message after reading, because removing them costs as much as reading a short body.
    let isRead = false;
    const onEnd = (): void => {
      isRead = true;
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    };
    const onCut = (): void => {
      if (!isRead) reject(cutOff());
    };
    if (message.destroyed) onCut();
    else message.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
  });
};

/** Returns whether the request announces a body. A chunked one may turn out to be empty. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const NOTHING = new Uint8Array();

const tooLarge = (maxBytes: number): ServiceError =>
  new ServiceError('too_large', `the body is larger than the ${maxBytes} bytes that are accepted here`);

const cutOff = (): ServiceError =>
  new ServiceError('malformed_json', 'the connection ended before the whole body had arrived');
