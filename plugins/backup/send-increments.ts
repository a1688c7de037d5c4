import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChangeRecorder, IncrementFile, ObjectStore } from '../../kernel/internal-api.ts';
import type { Clock, Leases, Logger, ObjectStores, Random, StoreCopies } from '../../kernel/plugin-api.ts';
import type { BackupSettings } from './backup-settings.ts';
import { chainName } from './increment-chains.ts';
import { pruneChains } from './prune-chains.ts';

/** The folder of increments that wait for the target, beside the backups. */
const SPOOL = 'increments';
/** Increments beyond this that wait for the target end the chain. A new one begins. */
const MOST_WAITING_BYTES = 1024 * 1024 * 1024;
/** A longer chain takes long to restore. */
const LONGEST_MS = 86_400_000;

export interface SendIncrementsParts {
  readonly copies: Pick<StoreCopies, 'recordChanges' | 'placeKeys'>;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly random: Random;
  readonly objects: ObjectStores;
  readonly config: BackupSettings;
  readonly log: Logger;
}

/** Sends the changes of the store to the target, with the keys of a sealed store, in one process of several. */
export interface IncrementSender {
  /** Begins a chain, unless one goes on here or in another process. Never rejects. */
  run(): Promise<void>;
  /** Sends the rest, and ends. */
  stop(): Promise<void>;
  /** Milliseconds since the last commit that is surely in the target; undefined where another process sends. */
  ageMs(): number | undefined;
}

export const createIncrementSender = (parts: SendIncrementsParts): IncrementSender => {
  const { log } = parts;
  let isStopping = false;
  let running: Promise<void> | undefined;
  let chain: ChainSender | undefined;
  let reachedMs: number | undefined;
  const onSent = ({ untilMs }: IncrementFile): void => {
    reachedMs = untilMs;
  };
  const sendChains = async (): Promise<void> => {
    // A target that never was there has an age as well.
    reachedMs ??= parts.clock.nowMs();
    try {
      while (!isStopping) {
        chain = await ChainSender.begin(parts, onSent);
        if (isStopping) void chain.stop();
        await chain.ended();
      }
    } catch (error) {
      log.warn('increments of the store are not sent to the target; a new chain begins soon', { error });
    }
  };
  const onAcquired = (): void => {
    reachedMs = undefined;
    void run();
  };
  const lease = parts.leases.hold('backup.increments', { onAcquired });
  const run = (): Promise<void> => {
    running ??= lease.whileHeld(sendChains).finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    run,
    ageMs: () => (reachedMs === undefined || !lease.held ? undefined : Math.max(0, parts.clock.nowMs() - reachedMs)),
    stop: async () => {
      isStopping = true;
      await chain?.stop();
      await running;
    },
  };
};

/** Records one chain, and sends its increments in their order. */
class ChainSender {
  readonly #parts: SendIncrementsParts;
  readonly #target: ObjectStore;
  readonly #chain: string;
  readonly #spool: string;
  readonly #recorder: ChangeRecorder;
  readonly #startMs: number;
  readonly #onSent: (increment: IncrementFile) => void;
  #base: string | undefined;
  #placedKeys: string | undefined;
  #waiting: IncrementFile[] = [];
  #sending: Promise<void> | undefined;

  static async begin(parts: SendIncrementsParts, onSent: (increment: IncrementFile) => void): Promise<ChainSender> {
    const target = await parts.objects.open(parts.config.target ?? '');
    const spool = join(parts.config.folder, SPOOL);
    await rm(spool, { recursive: true, force: true });
    await mkdir(spool, { recursive: true, mode: 0o700 });
    return new ChainSender(parts, target, spool, onSent);
  }

  private constructor(
    parts: SendIncrementsParts,
    target: ObjectStore,
    spool: string,
    onSent: (increment: IncrementFile) => void,
  ) {
    const { copies, clock, random, config } = parts;
    this.#parts = parts;
    this.#target = target;
    this.#spool = spool;
    this.#onSent = onSent;
    this.#startMs = clock.nowMs();
    this.#chain = chainName(this.#startMs, random.uuid());
    const onIncrement = (increment: IncrementFile): void => this.#take(increment);
    const options = { chain: this.#chain, everyMs: config.incrementSeconds * 1_000, onIncrement };
    const recorder = copies.recordChanges?.(spool, options);
    if (recorder === undefined) throw new Error('the store records no changes');
    this.#recorder = recorder;
  }

  /** Resolves when the chain has ended and everything is sent. Rejects when anything is missing. */
  async ended(): Promise<void> {
    try {
      await this.#recorder.ended;
      await this.#sending;
      await this.#send();
    } finally {
      await this.#recorder.stop();
      await rm(this.#spool, { recursive: true, force: true });
    }
  }

  stop(): Promise<void> {
    return this.#recorder.stop();
  }

  #take(increment: IncrementFile): void {
    this.#waiting.push(increment);
    const { clock, log } = this.#parts;
    if (clock.nowMs() - this.#startMs > LONGEST_MS) void this.stop();
    this.#send().catch((error: unknown) => {
      // The next increment tries again, until too many wait.
      log.warn('an increment could not be sent to the target', { error });
      const bytes = this.#waiting.filter(({ number }) => number > 0).reduce((sum, one) => sum + one.bytes, 0);
      if (bytes > MOST_WAITING_BYTES) void this.stop();
    });
  }

  #send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (next.number > 0 && !(await this.#hasBase())) {
        // Somebody removed the chain, such as a pruning after an erasure.
        this.#waiting = [];
        void this.stop();
        return;
      }
      // Before the increment: a store is not restored with keys that are older than itself.
      this.#placedKeys = await this.#parts.copies.placeKeys({ target: this.#target }, this.#placedKeys);
      const file = join(this.#spool, next.name);
      const { bytes, sha256 } = next;
      const read = (): AsyncIterable<Buffer> => createReadStream(file) as AsyncIterable<Buffer>;
      await this.#target.write(`${this.#chain}/${next.name}`, { bytes, sha256, read });
      await rm(file);
      this.#waiting.shift();
      this.#onSent(next);
      if (next.number > 0) continue;
      this.#base = next.name;
      await pruneChains(this.#target, { days: this.#parts.config.keep });
    }
  }

  async #hasBase(): Promise<boolean> {
    for await (const _ of this.#target.list(`${this.#chain}/${this.#base}`)) return true;
    return false;
  }
}
