import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InboundRequest } from '../../ports/ports.ts';
import { readBody } from './read-body.ts';

/** Adapts a request of Node's server to the port. All members except the path are computed on demand. */
export class KoaRequest implements InboundRequest {
  readonly path: string;
  readonly query: string;
  pathParameters: Readonly<Record<string, string>> = {};
  #abort: AbortController | undefined;
  #address = '';
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #awaitsContinue: boolean;

  constructor(message: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) {
    this.#message = message;
    this.#response = response;
    this.#awaitsContinue = awaitsContinue;
    const target = message.url ?? '';
    const mark = target.indexOf('?');
    this.path = mark === -1 ? target : target.slice(0, mark);
    this.query = mark === -1 ? '' : target.slice(mark + 1);
  }

  get method(): string {
    return this.#message.method ?? '';
  }

  /** Stays known after the client has left, for work that goes on without it. */
  get remoteAddress(): string {
    this.#address ||= this.#message.socket.remoteAddress ?? '';
    return this.#address;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      const abort = new AbortController();
      const leave = (): void => {
        if (!this.#response.writableFinished) abort.abort();
      };
      if (this.#response.closed) leave();
      else this.#response.once('close', leave);
      this.#abort = abort;
    }
    return this.#abort.signal;
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return typeof value === 'string' ? value : value?.[0];
  }

  headerCount(name: string): number {
    const { rawHeaders } = this.#message;
    let count = 0;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const raw = rawHeaders[at] as string;
      if (raw.length === name.length && raw.toLowerCase() === name) count += 1;
    }
    return count;
  }

  body(maxBytes: number): Promise<Uint8Array> {
    const announce = this.#awaitsContinue ? () => this.#response.writeContinue() : undefined;
    return readBody(this.#message, maxBytes, announce);
  }
}
