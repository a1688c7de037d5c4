import { connect, type Socket } from 'node:net';

/** Receives the status and the body of one answer. The body is only valid during the call. */
export type OnReply = (status: number, body: Buffer) => void;

const READ_BUFFER_BYTES = 256 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: *([0-9]+)/i;
const EMPTY = Buffer.alloc(0);

/**
 * One keep-alive HTTP/1.1 connection with one request in flight, directly on a socket, because a client library would
 * need more processor time than the server under test. Understands only answers with a Content-Length or without a
 * body.
 */
export class RawConnection {
  readonly #socket: Socket;
  #pending: Buffer = EMPTY;
  #onReply: OnReply | undefined;
  #onFailure: (error: Error) => void = () => {};

  private constructor(port: number) {
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafeSlow(READ_BUFFER_BYTES),
        callback: (count, buffer) => {
          this.#receive((buffer as Buffer).subarray(0, count));
          return true;
        },
      },
    });
    this.#socket.on('error', (error) => this.#onFailure(error));
    this.#socket.on('close', () => this.#onFailure(closed()));
  }

  static open(port: number): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const connection = new RawConnection(port);
      connection.#onFailure = reject;
      connection.#socket.once('connect', () => resolve(connection));
    });
  }

  /** Sends a complete request. `onFailure` is called when the connection breaks before the answer is complete. */
  send(request: string | Buffer, onReply: OnReply, onFailure: (error: Error) => void): void {
    this.#onReply = onReply;
    this.#onFailure = onFailure;
    // A closed socket reports nothing any more.
    if (this.#socket.closed) onFailure(closed());
    else if (typeof request === 'string') this.#socket.write(request, 'latin1');
    else this.#socket.write(request);
  }

  /** Sends a complete request, and resolves with the status and the body as text. */
  exchange(request: string | Buffer): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      this.send(request, (status, body) => resolve({ status, text: body.toString('utf8') }), reject);
    });
  }

  close(): void {
    this.#onFailure = () => {};
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    // The read buffer is reused, so an incomplete answer must be copied.
    const data = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const headEnd = data.indexOf(HEAD_END);
    const complete = headEnd < 0 ? false : this.#complete(data, headEnd);
    if (!complete) this.#pending = data === chunk ? Buffer.from(chunk) : data;
  }

  #complete(data: Buffer, headEnd: number): boolean {
    const head = data.toString('latin1', 0, headEnd);
    const length = CONTENT_LENGTH.exec(head)?.[1];
    const status = Number(head.slice(9, 12));
    if (length === undefined && status !== 204) {
      this.#onFailure(new Error(`answer ${status} without Content-Length`));
      this.close();
      return true;
    }
    const bodyStart = headEnd + HEAD_END.length;
    const end = bodyStart + Number(length ?? 0);
    if (data.length < end) return false;
    this.#pending = EMPTY;
    const onReply = this.#onReply;
    this.#onReply = undefined;
    onReply?.(status, data.subarray(bodyStart, end));
    return true;
  }
}

const closed = (): Error => new Error('the server closed the connection');
