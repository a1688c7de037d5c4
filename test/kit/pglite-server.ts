import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { FifoLock, UNHURRIED_MS } from '../../adapters/sql/fifo-lock.ts';
import { renameStatements, takeFrames } from './postgres-frames.ts';

/** PGlite, which is PostgreSQL in WebAssembly, behind a loopback port. It has one database with pgvector. */
export interface PgliteServer {
  readonly url: string;
  /** Runs statements outside the connections. */
  run(sql: string): Promise<void>;
  stop(): Promise<void>;
}

export const startPglite = async (): Promise<PgliteServer> => {
  const database = await PGlite.create({ extensions: { vector } });
  const turns = new FifoLock();
  const sessions = new Set<PgliteSession>();
  // A reply has several frames. With the delay, a frame waits for 40 ms until the client has acknowledged another one.
  const server = createServer({ noDelay: true }, (socket) => {
    sessions.add(new PgliteSession({ socket, database, turns, sessions }));
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    run: async (sql) => void (await turns.hold(() => database.exec(sql), UNHURRIED_MS)),
    async stop() {
      for (const session of sessions) session.cut();
      await new Promise((resolve) => server.close(resolve));
      await database.close();
    },
  };
};

interface SessionParts {
  readonly socket: Socket;
  readonly database: PGlite;
  readonly turns: FifoLock;
  readonly sessions: Set<PgliteSession>;
}

const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;

let opened = 0;

/**
 * One connection. PGlite has a single session, so a connection holds it from its first message to the end of its
 * transaction. Settings, temporary tables and session locks remain common to all.
 */
class PgliteSession {
  readonly #parts: SessionParts;
  readonly #prefix: string;
  #received: Buffer = Buffer.alloc(0);
  #hasBegun = false;
  #work: Promise<void> = Promise.resolve();
  /** Ends the turn of this connection, while it has one. */
  #release: (() => void) | undefined;

  constructor(parts: SessionParts) {
    const { socket, sessions } = parts;
    opened += 1;
    this.#parts = parts;
    this.#prefix = `c${opened}_`;
    socket.on('data', (data: Buffer) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#work = this.#work.then(() => this.#take()).catch(() => this.cut());
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      sessions.delete(this);
      this.#work = this.#work.then(() => this.#leave()).catch(() => {});
    });
  }

  cut(): void {
    this.#parts.socket.destroy();
  }

  tell(frame: Uint8Array): void {
    if (this.#hasBegun) this.#parts.socket.write(frame);
  }

  async #take(): Promise<void> {
    while (!this.#hasBegun && this.#received.length >= 8) {
      const length = this.#received.readInt32BE(0);
      if (this.#received.length < length) return;
      const message = this.#received.subarray(0, length);
      this.#received = this.#received.subarray(length);
      const code = message.readInt32BE(4);
      if (code === SSL_REQUEST) this.#parts.socket.write('N');
      else if (code === CANCEL_REQUEST) return this.cut();
      else {
        await this.#send(message);
        this.#hasBegun = true;
      }
    }
    if (!this.#hasBegun) return;
    const { frames, rest } = takeFrames(this.#received);
    this.#received = rest;
    for (const frame of frames) {
      if (frame[0] === TERMINATE) return void this.#parts.socket.end();
      await this.#send(renameStatements(frame, this.#prefix));
    }
  }

  async #send(message: Buffer): Promise<void> {
    const { database, sessions, socket } = this.#parts;
    if (this.#release === undefined) await this.#waitForTurn();
    const { frames } = takeFrames(Buffer.from(await database.execProtocolRaw(message)));
    for (const frame of frames) {
      // Notifications come with the next result of any connection.
      if (frame[0] === NOTIFICATION) for (const session of sessions) session.tell(frame);
      else socket.write(frame);
    }
    const ready = frames.findLast(([type]) => type === READY);
    if (ready?.[STATUS_AT] === IDLE) this.#end();
  }

  #waitForTurn(): Promise<void> {
    return new Promise((begun) => {
      const whole = (): Promise<void> =>
        new Promise((ended) => {
          this.#release = ended;
          begun();
        });
      void this.#parts.turns.hold(whole, UNHURRIED_MS);
    });
  }

  #end(): void {
    this.#release?.();
    this.#release = undefined;
  }

  async #leave(): Promise<void> {
    if (this.#release === undefined) return;
    await this.#parts.database.exec('ROLLBACK').catch(() => {});
    this.#end();
  }
}

const TERMINATE = 'X'.charCodeAt(0);
const NOTIFICATION = 'A'.charCodeAt(0);
const READY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);
/** A frame has a type, a length of four bytes, and its content. */
const STATUS_AT = 5;
