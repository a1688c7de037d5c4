import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';

/** The number of bytes of the length that precedes each message. */
const HEAD_BYTES = 4;

/** Sends messages over a socket to another process of the same user. */
export class MessageSocket {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
    // An error is always followed by the event `close`, which is handled.
    socket.on('error', () => {});
  }

  postMessage(message: unknown): void {
    const body = serialize(message);
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    head.writeUInt32LE(body.length);
    this.#socket.cork();
    this.#socket.write(head);
    this.#socket.write(body);
    this.#socket.uncork();
  }

  on(_event: 'message', listener: (message: never) => void): void {
    let rest: Buffer = Buffer.alloc(0);
    this.#socket.on('data', (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (;;) {
        const end = rest.length < HEAD_BYTES ? Number.POSITIVE_INFINITY : HEAD_BYTES + rest.readUInt32LE();
        if (rest.length < end) return;
        listener(deserialize(rest.subarray(HEAD_BYTES, end)) as never);
        rest = rest.subarray(end);
      }
    });
  }
}
