import type { Socket } from 'node:net';
import type { Clock, Hlc } from '../../../kernel/plugin-api.ts';
import { packHits, unpackHits } from '../host/packed-hits.ts';
import { IndexLost, type SearchAnswer, type SearchIndex } from '../search-api.ts';
import type { SearchService } from '../search-service.ts';
import type { CallReply } from '../threads/pending-calls.ts';
import { PendingCalls } from '../threads/pending-calls.ts';
import { MessageSocket } from './message-socket.ts';

/** The state of an index that its process sends with each reply. */
export type IndexNote = Pick<SearchService, 'generations' | 'lacksVectors'>;

/** The part of a process's index that other processes can call. */
export type CommonIndex = SearchIndex & IndexNote & Pick<SearchService, 'vectorsAdded' | 'hasBuild'>;

export type CommonCall = Exclude<keyof CommonIndex, keyof IndexNote>;

/** A call that the holder answers at once, even while its index is busy. */
export const PING = 'ping';
const PING_MS = 250;
/**
 * The number of consecutive unanswered pings after which the holder counts as gone, 1.5 s in all. Pings are counted
 * instead of time, because a process that was suspended must first read the replies that arrived meanwhile.
 */
const MOST_UNANSWERED = 6;

/** The result of a call, in a list because it may be undefined; null if the call failed. */
export type CommonResult = readonly [unknown] | null;

/**
 * The index of another process. Calls reject with `IndexLost` if they fail there, if that process ends, or if it does
 * not reply.
 */
export class AskedIndex implements CommonIndex {
  readonly #socket: Socket;
  readonly #messages: MessageSocket;
  readonly #pending = new PendingCalls();
  #note: IndexNote = { generations: [], lacksVectors: false };
  readonly #clock: Pick<Clock, 'schedule'>;
  #unanswered = 0;
  #cancelPing = (): void => {};
  /** Resolves when the connection has ended. This side ends it if the other side does not reply. */
  readonly lost: Promise<void>;

  constructor(socket: Socket, clock: Pick<Clock, 'schedule'>) {
    this.#clock = clock;
    this.#socket = socket.unref();
    this.#messages = new MessageSocket(socket);
    this.#messages.on('message', (reply: CallReply) => {
      this.#unanswered = 0;
      this.#note = reply.note as IndexNote;
      this.#pending.answered(reply);
    });
    this.lost = new Promise((resolve) => {
      socket.once('close', () => {
        this.#cancelPing();
        this.#pending.end(new IndexLost());
        resolve();
      });
    });
    this.#ping();
  }

  get generations(): readonly string[] {
    return this.#note.generations;
  }

  get lacksVectors(): boolean {
    return this.#note.lacksVectors;
  }

  ready() {
    return this.#ask('ready') as Promise<Hlc | null>;
  }

  embedders() {
    return this.#ask('embedders') as Promise<readonly string[]>;
  }

  isMakingVectors() {
    return this.#ask('isMakingVectors') as Promise<boolean>;
  }

  async vectorsAdded(): Promise<void> {
    await this.#ask('vectorsAdded');
  }

  hasBuild(build: string) {
    return this.#ask('hasBuild', build) as Promise<boolean>;
  }

  async ask(...given: Parameters<SearchIndex['ask']>) {
    return unpackHits(await this.#ask('ask', ...(packHits(given) as unknown[]))) as SearchAnswer[];
  }

  close(): void {
    this.#socket.destroy();
  }

  #ping(): void {
    if (this.#unanswered === MOST_UNANSWERED) {
      this.close();
      return;
    }
    this.#unanswered += 1;
    // A ping rejects when the connection ends, which `lost` reports already.
    void this.#send(PING, []).catch(() => {});
    this.#cancelPing = this.#clock.schedule(PING_MS, () => {
      // Reads replies that have arrived meanwhile before it counts another ping.
      setImmediate(() => this.#socket.destroyed || this.#ping());
    });
  }

  #send(call: CommonCall | typeof PING, given: readonly unknown[]): Promise<unknown> {
    return this.#pending.ask(call, given, (request) => this.#messages.postMessage(request));
  }

  async #ask(call: CommonCall, ...given: unknown[]): Promise<unknown> {
    const found = (await this.#send(call, given)) as CommonResult;
    if (found === null) throw new IndexLost();
    return found[0];
  }
}
