import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IncrementFile, ObjectStore } from '../../kernel/internal-api.ts';
import type { StoreCopies } from '../../kernel/plugin-api.ts';

export interface ChainQueueParts {
  readonly copies: Pick<StoreCopies, 'placeKeys'>;
  readonly target: ObjectStore;
  /** The folder that has a folder for each chain. */
  readonly spool: string;
  /** Called for each increment that is in the target. */
  onSent(increment: IncrementFile): void;
}

/** The increments of one chain that wait for the target, in their order. */
export class ChainQueue {
  readonly chain: string;
  readonly #parts: ChainQueueParts;
  #base: string | undefined;
  #placedKeys: string | undefined;
  #waiting: IncrementFile[] = [];
  #sending: Promise<boolean> | undefined;

  constructor(chain: string, parts: ChainQueueParts) {
    this.chain = chain;
    this.#parts = parts;
  }

  add(increment: IncrementFile): void {
    this.#waiting.push(increment);
  }

  /** True if the base is in the target, with everything that followed it so far. */
  get isSent(): boolean {
    return this.#base !== undefined && this.#waiting.length === 0;
  }

  /** The bytes that wait, without those of the base. */
  get waitingBytes(): number {
    return this.#waiting.filter(({ number }) => number > 0).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Sends everything that waits. Resolves with false when the chain is gone from the target. */
  send(): Promise<boolean> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<boolean> {
    const { copies, target, spool, onSent } = this.#parts;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      // The chain may have been removed from the target, for example by pruning after an erasure.
      if (next.number > 0 && !(await this.#hasBase())) return false;
      // Sends the keys first, because a restore refuses keys that are older than the store.
      this.#placedKeys = await copies.placeKeys({ target }, this.#placedKeys);
      const path = `${this.chain}/${next.name}`;
      const file = join(spool, path);
      const { bytes, sha256 } = next;
      const read = (): AsyncIterable<Buffer> => createReadStream(file) as AsyncIterable<Buffer>;
      await target.write(path, { bytes, sha256, read });
      await rm(file);
      this.#waiting.shift();
      if (next.number === 0) this.#base = next.name;
      onSent(next);
    }
    return true;
  }

  async #hasBase(): Promise<boolean> {
    for await (const _ of this.#parts.target.list(`${this.chain}/${this.#base}`)) return true;
    return false;
  }
}
