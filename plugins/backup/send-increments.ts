import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChangeRecorder, IncrementFile, ObjectStore } from '../../kernel/internal-api.ts';
import type { Clock, Logger, ObjectStores, Random, StoreCopies } from '../../kernel/plugin-api.ts';
import type { BackupSettings } from './backup-settings.ts';
import { ChainQueue } from './chain-queue.ts';
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
  const { clock, log } = parts;
  let isStopping = false;
  let isElsewhere = false;
  let running: Promise<void> | undefined;
  let recording: Recording | undefined;
  // Begins at the present time, so that the age also grows while the target was never reached.
  let reachedMs = clock.nowMs();
  const onSent = ({ untilMs }: IncrementFile): void => {
    reachedMs = Math.max(reachedMs, untilMs);
  };
  const onRecorded = (): void => {
    if (isElsewhere) reachedMs = clock.nowMs();
    isElsewhere = false;
  };
  const record = async (): Promise<void> => {
    try {
      while (!isStopping) {
        recording = await Recording.begin(parts, { onSent, onRecorded });
        if (isStopping) void recording.stop();
        await recording.ended();
      }
    } catch (error) {
      isElsewhere = (error as { readonly code?: unknown }).code === 'conflict' && recording?.hasRecorded === false;
      if (isElsewhere) return;
      log.warn('increments of the store are not sent to the target; a new chain begins soon', { error });
    }
  };
  return {
    run: () => {
      running ??= record().finally(() => {
        running = undefined;
      });
      return running;
    },
    ageMs: () => (isElsewhere ? undefined : Math.max(0, clock.nowMs() - reachedMs)),
    stop: async () => {
      isStopping = true;
      await recording?.stop();
      await running;
    },
  };
};

interface Listeners {
  onSent(increment: IncrementFile): void;
  /** Called for each increment, whether it is in the target or not. */
  onRecorded(): void;
}

/**
 * Records the store, and sends what it records. A chain goes on until the base and the increments of the next one are
 * in the target, so increments arrive without a gap.
 */
class Recording {
  readonly #parts: SendIncrementsParts;
  readonly #target: ObjectStore;
  readonly #spool: string;
  readonly #recorder: ChangeRecorder;
  readonly #listeners: Listeners;
  /** The newest comes last. */
  #queues: ChainQueue[] = [];
  #begunMs = 0;
  #isPruned = false;
  hasRecorded = false;

  static async begin(parts: SendIncrementsParts, listeners: Listeners): Promise<Recording> {
    const target = await parts.objects.open(parts.config.target ?? '');
    const spool = join(parts.config.folder, SPOOL);
    await mkdir(spool, { recursive: true, mode: 0o700 });
    return new Recording(parts, target, spool, listeners);
  }

  private constructor(parts: SendIncrementsParts, target: ObjectStore, spool: string, listeners: Listeners) {
    this.#parts = parts;
    this.#target = target;
    this.#spool = spool;
    this.#listeners = listeners;
    const onIncrement = (increment: IncrementFile): void => this.#take(increment);
    const options = { chain: this.#addChain(), everyMs: parts.config.incrementSeconds * 1_000, onIncrement };
    const recorder = parts.copies.recordChanges?.(spool, options);
    if (recorder === undefined) throw new Error('the store records no changes');
    this.#recorder = recorder;
  }

  /** Resolves when the recording has ended and everything is sent. Rejects when anything is missing. */
  async ended(): Promise<void> {
    try {
      await this.#recorder.ended;
      for (const queue of this.#queues) await this.#send(queue);
    } finally {
      await this.#recorder.stop();
    }
  }

  stop(): Promise<void> {
    return this.#recorder.stop();
  }

  #addChain(): string {
    const { clock, random, copies } = this.#parts;
    this.#begunMs = clock.nowMs();
    this.#isPruned = false;
    const chain = chainName(this.#begunMs, random.uuid());
    const { onSent } = this.#listeners;
    this.#queues.push(new ChainQueue(chain, { copies, target: this.#target, spool: this.#spool, onSent }));
    return chain;
  }

  #take(increment: IncrementFile): void {
    this.hasRecorded = true;
    this.#listeners.onRecorded();
    const queue = this.#queues.find(({ chain }) => chain === increment.chain);
    // The next start removes the file of a chain that has ended.
    if (queue === undefined) return;
    queue.add(increment);
    const isLong = this.#parts.clock.nowMs() - this.#begunMs > LONGEST_MS;
    if (isLong && this.#queues.length === 1) this.#recorder.begin(this.#addChain());
    this.#send(queue).catch((error: unknown) => {
      // The next increment tries again, until too many wait.
      this.#parts.log.warn('an increment could not be sent to the target', { error });
      if (this.#queues.reduce((sum, { waitingBytes }) => sum + waitingBytes, 0) > MOST_WAITING_BYTES) void this.stop();
    });
  }

  async #send(queue: ChainQueue): Promise<void> {
    const isThere = await queue.send();
    const isNewest = queue === this.#queues.at(-1);
    if (!isThere && isNewest) {
      this.#queues = [];
      void this.stop();
    } else if (!isThere) this.#end(queue);
    else if (isNewest && queue.isSent) await this.#endFormer(queue);
  }

  async #endFormer(newest: ChainQueue): Promise<void> {
    for (const former of this.#queues) if (former !== newest) this.#end(former);
    if (this.#isPruned) return;
    this.#isPruned = true;
    await pruneChains(this.#target, { days: this.#parts.config.keep }).catch((error: unknown) => {
      this.#isPruned = false;
      throw error;
    });
  }

  #end(queue: ChainQueue): void {
    this.#queues = this.#queues.filter((one) => one !== queue);
    this.#recorder.end(queue.chain);
  }
}
