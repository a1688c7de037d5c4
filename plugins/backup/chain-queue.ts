import { createReadStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type IncrementFile, type ObjectStore, startOfIncrement } from '../../kernel/internal-api.ts';
import type { StoreCopies } from '../../kernel/plugin-api.ts';

export interface ChainQueueParts {
  readonly copies: Pick<StoreCopies, 'placeKeys'>;
  readonly target: ObjectStore;
  /** The folder that has a folder for each chain. */
  readonly spool: string;
  /** Called for each increment that is in the target. */
  onSent(increment: IncrementFile): Promise<void>;
}

/** The increments of one chain that wait for the target, in their order. */
export class ChainQueue {
  readonly chain: string;
  readonly #parts: ChainQueueParts;
  #isBaseSent: boolean;
  /** False while a copy of this store may have gone on with the chain. */
  #isOwn: boolean;
  #placedKeys: string | undefined;
  #waiting: IncrementFile[] = [];
  #sending: Promise<boolean> | undefined;

  /** With `goesOn`, an earlier sender has sent the base. */
  constructor(chain: string, parts: ChainQueueParts, goesOn: boolean) {
    this.chain = chain;
    this.#parts = parts;
    this.#isBaseSent = goesOn;
    this.#isOwn = !goesOn;
  }

  add(increment: IncrementFile): void {
    this.#waiting.push(increment);
  }

  /** True if the base is in the target, with everything that followed it so far. */
  get isSent(): boolean {
    return this.#isBaseSent && this.#waiting.length === 0;
  }

  /** The bytes that wait, without those of the base. */
  get waitingBytes(): number {
    return this.#waiting.filter(({ number }) => number > 0).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Sends everything that waits. Resolves with false when the chain cannot go on in the target. */
  send(): Promise<boolean> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  /** Resolves when a send that has begun has ended. */
  async settled(): Promise<void> {
    await this.#sending?.catch(() => {});
  }

  async #sendAll(): Promise<boolean> {
    const { copies, target, spool, onSent } = this.#parts;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (!(await this.#follows(next))) return false;
      const path = `${this.chain}/${next.name}`;
      const file = join(spool, path);
      // Another process that went on with the chain may have sent it.
      const isHere = existsSync(file);
      if (!isHere && !(await this.#names(next.number)).includes(next.name)) return false;
      if (isHere) {
        // Sends the keys first, because a restore refuses keys that are older than the store.
        this.#placedKeys = await copies.placeKeys({ target }, this.#placedKeys);
        const { bytes, sha256 } = next;
        const read = (): AsyncIterable<Buffer> => createReadStream(file) as AsyncIterable<Buffer>;
        await target.write(path, { bytes, sha256, read });
        await rm(file, { force: true });
      }
      this.#waiting.shift();
      if (next.number === 0) this.#isBaseSent = true;
      this.#isOwn = true;
      await onSent(next);
    }
    return true;
  }

  /**
   * False when the increment before is gone, for example by pruning after an erasure, which begins at the end of a
   * chain. False too when a copy of this store has gone on with the chain.
   */
  async #follows({ number, name }: IncrementFile): Promise<boolean> {
    if (number === 0) return true;
    if ((await this.#names(number - 1)).length !== 1) return false;
    return this.#isOwn || (await this.#names(number)).every((one) => one === name);
  }

  async #names(number: number): Promise<string[]> {
    const found: string[] = [];
    for await (const { path } of this.#parts.target.list(`${this.chain}/${startOfIncrement(number)}`)) {
      found.push(path.slice(this.chain.length + 1));
    }
    return found;
  }
}
