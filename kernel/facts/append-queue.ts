import { othersGoFirst } from '../../ports/others-first.ts';
import { type Clock, type FactStore, type Principal, ServiceError, type WriteTransaction } from '../../ports/ports.ts';
import { narrowTransaction } from '../store/narrow-transaction.ts';
import type { PluginTransaction } from '../store/plugin-transaction.ts';
import { turnAfter } from '../time/in-turns.ts';
import type { AppendedFact, AppendOptions, AppendVerdict } from './append-api.ts';
import { factCommitted } from './append-hooks.ts';
import { AppendRun, type RunParts } from './append-run.ts';
import type { AppendTelemetry, TimedCall } from './append-telemetry.ts';
import type { ClockWatch } from './clock-watch.ts';
import type { PreparedItem } from './drafted-fact.ts';
import type { Appender } from './fact-draft.ts';
import { type FactView, plainView } from './fact-view.ts';
import { type ItemVerdict, PendingItem } from './pending-item.ts';
import type { FactReader } from './reader-api.ts';

/** The limits of a shared transaction, so that no call waits behind an arbitrarily long one. */
const GROUP_ITEMS = 256;
const GROUP_BYTES = 4 * 1024 * 1024;
/** The maximum number of queued calls. Beyond it the node answers 503, because no call should wait for ever. */
const WAITING_LIMIT = 10_000;

export interface QueueParts extends RunParts {
  readonly store: FactStore;
  readonly clock: Clock;
  /** Checks the physical clock before a stamp is given. */
  readonly clockWatch: ClockWatch;
  readonly measured: AppendTelemetry;
  readonly tenantId: string;
  /** The author of facts that follow from other facts. */
  readonly node: Principal;
  /** Opens a reader for a caller inside a transaction. */
  reader(caller: Principal, transaction: PluginTransaction, nowMs: number): Promise<FactReader>;
}

/** A call of `append` or `appendAll` in the queue. */
export interface AppendCall {
  readonly items: readonly PreparedItem[];
  readonly appender: Appender;
  readonly options: AppendOptions;
  readonly bytes: number;
}

interface QueuedCall extends TimedCall {
  readonly call: AppendCall;
  resolve(verdicts: readonly AppendVerdict[]): void;
  reject(error: unknown): void;
}

/**
 * Groups commits: all calls that are queued when the writer becomes free share one transaction. Each call gets its
 * answer after that transaction is durable. Shared transactions give more throughput than finer locks would.
 */
export class AppendQueue {
  readonly #parts: QueueParts;
  readonly #waiting: QueuedCall[] = [];
  readonly #running = new Set<Promise<void>>();
  #draining: Promise<void> | undefined;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  join(call: AppendCall): Promise<readonly AppendVerdict[]> {
    if (this.#waiting.length >= WAITING_LIMIT) {
      return Promise.reject(new ServiceError('unavailable', 'too many writes are waiting; try again shortly'));
    }
    const { measured, clock } = this.#parts;
    const joinedMs = measured.isHeard ? clock.monotonicMs() : 0;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, resolve, reject, joinedMs, place: measured.place() });
      this.#draining ??= this.#drain();
    });
  }

  /** The number of calls in the queue. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when no call is queued or running. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined || this.#running.size > 0) {
      await this.#draining;
      await Promise.all(this.#running);
    }
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Parses the requests of the same turn of the event loop first, so that they join the group.
      await othersGoFirst();
      await new Promise<void>((taken) => this.#start(taken));
    }
    this.#draining = undefined;
  }

  /** Begins a transaction, even while the previous one commits. Calls join its group until it has begun. */
  #start(taken: () => void): void {
    let group: readonly QueuedCall[] | undefined;
    const committed = this.#commit(() => {
      group ??= this.#takeGroup();
      taken();
      return group;
    });
    this.#running.add(committed);
    void committed.then(() => this.#running.delete(committed));
  }

  #takeGroup(): QueuedCall[] {
    const group: QueuedCall[] = [];
    let bytes = 0;
    for (const waiting of this.#waiting) {
      const { call } = waiting;
      const alone = call.options.exclusive === true || call.items.length > 1;
      if (group.length > 0 && (alone || group.length === GROUP_ITEMS || bytes + call.bytes > GROUP_BYTES)) break;
      group.push(waiting);
      bytes += call.bytes;
      if (alone) break;
    }
    this.#waiting.splice(0, group.length);
    return group;
  }

  /**
   * Commits the group of calls. Never rejects. The first `take` fixes the group, and later calls return the same one. A
   * transaction that fails to begin has not called it, so the failure handler does.
   */
  async #commit(take: () => readonly QueuedCall[]): Promise<void> {
    try {
      const { verdicts, appended } = await this.#transact(take);
      for (const [at, waiting] of take().entries()) waiting.resolve(verdicts[at] ?? []);
      if (appended.length > 0) void this.#parts.hooks.emit(factCommitted, { facts: appended });
    } catch (error) {
      const group = take();
      // A failure of the store concerns the whole group. Any other error may come from a single item.
      if (group.length === 1 || error instanceof ServiceError) {
        for (const waiting of group) waiting.reject(error);
      } else {
        for (const waiting of group) await this.#commit(() => [waiting]);
      }
    }
  }

  async #transact(
    take: () => readonly QueuedCall[],
  ): Promise<{ verdicts: AppendVerdict[][]; appended: readonly AppendedFact[] }> {
    const { store, tenantId, clock, clockWatch, measured } = this.#parts;
    let beganMs = 0;
    const work = async (wide: WriteTransaction, group: readonly QueuedCall[]) => {
      const transaction = narrowTransaction(wide);
      const calls = group.map(({ call }) => call);
      const nowMs = clockWatch.look();
      const run = new AppendRun(this.#parts, { wide, transaction, nowMs }, this.#parts.node);
      const pending = calls.map((call) => call.items.map((item) => new PendingItem(item, call.appender)));
      for (const [at, call] of calls.entries()) await guard(call, pending[at] ?? [], transaction);
      await run.append(pending.flat());
      await run.saveClock();
      const verdicts = await this.#answer(calls, pending, transaction, nowMs);
      for (const [at, call] of calls.entries()) await call.options.beforeCommit?.(transaction, verdicts[at] ?? []);
      await turnAfter(run.appended);
      return { verdicts, appended: run.appended };
    };
    const written = await store.write(tenantId, (wide) => {
      const group = take();
      beganMs = clock.monotonicMs();
      measured.began(group, beganMs);
      return measured.span(group, () => work(wide, group));
    });
    if (measured.isHeard) measured.committed(written.verdicts, clock.monotonicMs() - beganMs);
    return written;
  }

  /** Turns facts into views, with one reader per caller. */
  async #answer(
    calls: readonly AppendCall[],
    pending: readonly (readonly PendingItem[])[],
    transaction: PluginTransaction,
    nowMs: number,
  ): Promise<AppendVerdict[][]> {
    const answers: AppendVerdict[][] = calls.map(() => []);
    const byCaller = new Map<Principal, StoredItem[]>();
    for (const [call, items] of pending.entries()) {
      const isMarked = calls[call]?.options.unmarked !== true;
      for (const [item, { verdict, caller, warnings }] of items.entries()) {
        if (verdict.kind === 'rejected' || !isMarked) {
          (answers[call] as AppendVerdict[])[item] = verdict.kind === 'rejected' ? verdict : unmarked(verdict);
          continue;
        }
        const stored = byCaller.get(caller);
        if (stored === undefined) byCaller.set(caller, [{ call, item, verdict, warnings }]);
        else stored.push({ call, item, verdict, warnings });
      }
    }
    for (const [caller, stored] of byCaller) {
      const reader = await this.#parts.reader(caller, transaction, nowMs);
      const views = await reader.annotate(stored.map(({ verdict }) => verdict.fact));
      for (const [at, { call, item, verdict, warnings }] of stored.entries()) {
        const view = warned(views[at] ?? plainView(verdict.fact), warnings);
        (answers[call] as AppendVerdict[])[item] = { kind: 'stored', view, existing: verdict.existing };
      }
    }
    return answers;
  }
}

/** A stored fact to be returned to the caller. */
interface StoredItem {
  /** The index of its call, and the index of the item in that call. */
  readonly call: number;
  readonly item: number;
  readonly verdict: ItemVerdict & { readonly kind: 'stored' };
  readonly warnings: readonly string[];
}

const warned = (view: FactView, warnings: readonly string[]): FactView =>
  warnings.length === 0 ? view : { ...view, warnings: [...view.warnings, ...warnings] };

const unmarked = ({ fact, existing }: ItemVerdict & { kind: 'stored' }): AppendVerdict => ({
  kind: 'stored',
  view: plainView(fact),
  existing,
});

const guard = async (
  call: AppendCall,
  items: readonly PendingItem[],
  transaction: PluginTransaction,
): Promise<void> => {
  try {
    await call.options.guard?.(transaction);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    for (const item of items) item.refuse(error);
  }
};
