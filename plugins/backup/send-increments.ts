import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChangeRecorder, IncrementFile, ObjectStore } from '../../kernel/internal-api.ts';
import type { Clock, Logger, ObjectStores, Random, StoreCopies } from '../../kernel/plugin-api.ts';
import type { BackupSettings } from './backup-settings.ts';
import { ChainQueue } from './chain-queue.ts';
import { chainName, startOfChain } from './increment-chains.ts';
import { pruneChains } from './prune-chains.ts';
import { noteReached, readReached } from './reached-time.ts';

/** The folder of increments that wait for the target, beside the backups. */
const SPOOL = 'increments';
/** The maximum size of the increments that wait for the target. Beyond it the chain ends, and a new one begins. */
const MOST_WAITING_BYTES = 1024 * 1024 * 1024;
/** A longer chain takes long to restore. */
const LONGEST_MS = 86_400_000;
/** Increments count as late after this time and after so many intervals, and are then reported. */
const PATIENCE_MS = 60_000;
const PATIENT_INTERVALS = 3;

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
  /** Milliseconds since the last commit that is surely in the target, by any process of the node. */
  ageMs(): Promise<number>;
}

export const createIncrementSender = (parts: SendIncrementsParts): IncrementSender => {
  const { clock, log, config } = parts;
  let isStopping = false;
  let isReported = false;
  let goesOn = true;
  let running: Promise<void> | undefined;
  let recording: Recording | undefined;
  // Begins at the present time, so that the age also grows while the target was never reached.
  let reachedMs = clock.nowMs();
  const onSent = async ({ untilMs }: IncrementFile): Promise<void> => {
    if (untilMs <= reachedMs) return;
    reachedMs = untilMs;
    await noteReached(config.folder, untilMs).catch((error: unknown) => {
      log.warn('the age of the increments could not be written down for other processes', { error });
    });
  };
  const ageMs = async (): Promise<number> =>
    Math.max(0, clock.nowMs() - Math.max(reachedMs, await readReached(config.folder)));
  /** Another process of this node sends, or one that holds the lock for no good reason. */
  const reportLock = async (error: unknown): Promise<void> => {
    const isLate = (await ageMs()) > Math.max(PATIENCE_MS, PATIENT_INTERVALS * config.incrementSeconds * 1_000);
    if (isLate && !isReported) {
      log.warn('no increments reach the target, and another process holds their lock', {
        hint: 'end it, unless it is a process of this node, whose log then names the cause',
        error,
      });
    }
    isReported = isLate;
  };
  const record = async (): Promise<void> => {
    let current: Recording | undefined;
    try {
      while (!isStopping) {
        current = await Recording.begin(parts, { onSent, goesOn });
        recording = current;
        if (isStopping) void recording.stop();
        await recording.ended();
        goesOn = !recording.isBroken;
      }
    } catch (error) {
      goesOn = current?.isBroken !== true;
      const isLocked = (error as { readonly code?: unknown }).code === 'conflict' && current?.hasRecorded === false;
      if (isLocked) return reportLock(error);
      log.warn('increments of the store are not sent to the target; the recording begins again soon', { error });
    }
  };
  return {
    run: () => {
      running ??= record().finally(() => {
        running = undefined;
      });
      return running;
    },
    ageMs,
    stop: async () => {
      isStopping = true;
      await recording?.stop();
      await running;
    },
  };
};

interface RecordingOptions {
  onSent(increment: IncrementFile): Promise<void>;
  /** False to begin a new chain in any case. */
  readonly goesOn: boolean;
}

/**
 * Records the store, and sends what it records. A chain goes on until the base and the increments of the next one are
 * in the target, so increments arrive without a gap. The last chain of the former recording goes on, too.
 */
class Recording {
  readonly #parts: SendIncrementsParts;
  readonly #target: ObjectStore;
  readonly #spool: string;
  readonly #recorder: ChangeRecorder;
  readonly #options: RecordingOptions;
  /** The newest comes last. */
  #queues: ChainQueue[] = [];
  #begunMs = 0;
  #isPruned = false;
  hasRecorded = false;
  /** True when its chain must not go on. */
  isBroken = false;

  static async begin(parts: SendIncrementsParts, options: RecordingOptions): Promise<Recording> {
    const target = await parts.objects.open(parts.config.target ?? '');
    const spool = join(parts.config.folder, SPOOL);
    await mkdir(spool, { recursive: true, mode: 0o700 });
    return new Recording(parts, target, spool, options);
  }

  private constructor(parts: SendIncrementsParts, target: ObjectStore, spool: string, options: RecordingOptions) {
    this.#parts = parts;
    this.#target = target;
    this.#spool = spool;
    this.#options = options;
    const onIncrement = (increment: IncrementFile): void => this.#take(increment);
    const everyMs = parts.config.incrementSeconds * 1_000;
    const chain = this.#newChain();
    const recorder = parts.copies.recordChanges?.(spool, { chain, everyMs, goesOn: options.goesOn, onIncrement });
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
      // The next recording goes on with the chain, and must not send at the same time.
      for (const queue of this.#queues) await queue.settled();
    }
  }

  stop(): Promise<void> {
    return this.#recorder.stop();
  }

  #newChain(): string {
    const { clock, random } = this.#parts;
    return chainName(clock.nowMs(), random.uuid());
  }

  #addQueue(chain: string, goesOn: boolean): ChainQueue {
    const { copies } = this.#parts;
    const { onSent } = this.#options;
    this.#begunMs = startOfChain(chain);
    this.#isPruned = false;
    const parts = { copies, target: this.#target, spool: this.#spool, onSent };
    const queue = new ChainQueue(chain, parts, goesOn);
    this.#queues.push(queue);
    return queue;
  }

  #take(increment: IncrementFile): void {
    const first = this.hasRecorded ? undefined : this.#addQueue(increment.chain, increment.number > 0);
    this.hasRecorded = true;
    const queue = first ?? this.#queues.find(({ chain }) => chain === increment.chain);
    // The next start removes the file of a chain that has ended.
    if (queue === undefined) return;
    queue.add(increment);
    const isLong = this.#parts.clock.nowMs() - this.#begunMs > LONGEST_MS;
    if (isLong && this.#queues.length === 1) this.#recorder.begin(this.#addQueue(this.#newChain(), false).chain);
    this.#send(queue).catch((error: unknown) => {
      // The next increment tries again, until too many wait.
      this.#parts.log.warn('an increment could not be sent to the target', { error });
      if (this.#queues.reduce((sum, { waitingBytes }) => sum + waitingBytes, 0) > MOST_WAITING_BYTES) this.#break();
    });
  }

  async #send(queue: ChainQueue): Promise<void> {
    const isThere = await queue.send();
    const isNewest = queue === this.#queues.at(-1);
    if (!isThere && isNewest) {
      this.#queues = [];
      this.#break();
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

  #break(): void {
    this.isBroken = true;
    void this.stop();
  }

  #end(queue: ChainQueue): void {
    this.#queues = this.#queues.filter((one) => one !== queue);
    this.#recorder.end(queue.chain);
  }
}
