import type { Socket } from 'node:net';
import type { Hlc } from '../../../kernel/plugin-api.ts';
import { packHits, unpackHits } from '../host/packed-hits.ts';
import { IndexLost, type SearchAnswer, type SearchIndex } from '../search-api.ts';
import type { SearchService } from '../search-service.ts';
import type { CallReply } from '../threads/pending-calls.ts';
import { PendingCalls } from '../threads/pending-calls.ts';
import { MessageSocket } from './message-socket.ts';

/** The state of an index that its process sends with each reply. */
export type IndexNote = Pick<SearchService, 'generations' | 'lacksVectors'>;

/** The index of one process as others see it. */
export type CommonIndex = SearchIndex & IndexNote & Pick<SearchService, 'vectorsAdded' | 'hasBuild'>;

export type CommonCall = Exclude<keyof CommonIndex, keyof IndexNote>;

/** A result in a list, because it may be undefined; null if the call failed. */
export type CommonResult = readonly [unknown] | null;

/** The index of another process. Its calls reject with `IndexLost` if they fail or that process ends. */
export class AskedIndex implements CommonIndex {
  readonly #socket: Socket;
  readonly #messages: MessageSocket;
  readonly #pending = new PendingCalls();
  #note: IndexNote = { generations: [], lacksVectors: false };
  /** Resolves when the connection has ended. */
  readonly lost: Promise<void>;

  constructor(socket: Socket) {
    this.#socket = socket.unref();
    this.#messages = new MessageSocket(socket);
    this.#messages.on('message', (reply: CallReply) => {
      this.#note = reply.note as IndexNote;
      this.#pending.answered(reply);
    });
    this.lost = new Promise((resolve) => {
      socket.once('close', () => {
        this.#pending.end(new IndexLost());
        resolve();
      });
    });
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

  async #ask(call: CommonCall, ...given: unknown[]): Promise<unknown> {
    const result = await this.#pending.ask(call, given, (request) => this.#messages.postMessage(request));
    const found = result as CommonResult;
    if (found === null) throw new IndexLost();
    return found[0];
  }
}
