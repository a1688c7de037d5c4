import {
  type Clock,
  coalesce,
  type Logger,
  type PluginTables,
  type Random,
  type SqlValue,
} from '../../../kernel/plugin-api.ts';
import type { RebuildableIndex, RebuildRun } from '../search-api.ts';
import { REBUILDS_TABLE } from '../search-migrations.ts';
import type { SearchService } from '../search-service.ts';
import type { SnapshotStore } from '../snapshot/snapshot-store.ts';
import { pause } from './pause.ts';

/** The signal that a rebuild of the index is requested. */
export const BUILD_WANTED = 'index build wanted';
/** The interval in milliseconds at which each process looks for a requested rebuild, because signals can get lost. */
export const BUILD_LOOK_MS = 10_000;
/** The interval in milliseconds at which processes report their progress and the job reads it. */
const LOOK_MS = 1_000;
/** A process that has not reported for this many milliseconds counts as ended. */
const SILENT_MS = 60_000;
const KEPT_MS = 24 * 60 * 60 * 1000;
const LOCK = 'search rebuilds';

export interface RebuildWordsParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly snapshots: Pick<SnapshotStore, 'wantedBuild' | 'wantAnother'>;
  readonly search: Pick<SearchService, 'build' | 'hasBuild' | 'rebuild' | 'size'>;
}

/** The progress of the processes that have taken part in a rebuild. */
interface BuildState {
  readonly done: number;
  readonly total: number;
  readonly processes: number;
  readonly isComplete: boolean;
}

/**
 * Rebuilds the index of words. Each process has its own: it builds another one while the present one serves, swaps
 * them, and reports its progress in a row of the database.
 */
export class RebuildWords implements RebuildableIndex {
  readonly name = 'words';
  readonly summary = 'the index of words in the memory of each process';
  readonly #parts: RebuildWordsParts;
  readonly #process: string;
  #saidMs = Number.NEGATIVE_INFINITY;
  #isRebuilding = false;

  constructor(parts: RebuildWordsParts) {
    this.#parts = parts;
    this.#process = parts.random.uuid();
  }

  /** True while this process builds another index. */
  get isRebuilding(): boolean {
    return this.#isRebuilding;
  }

  /** Rebuilds the index of this process if another build is requested. */
  readonly look = coalesce(async () => {
    const { search, snapshots, log } = this.#parts;
    const wanted = await snapshots.wantedBuild();
    if (search.build === undefined || search.build === wanted) return;
    this.#isRebuilding = true;
    try {
      await this.#say(wanted, 0, search.size, false);
      await search.rebuild((done, total) => this.#tell(wanted, done, total));
      await this.#say(wanted, search.size, search.size, true);
      log.info('the search index was built anew', { facts: search.size });
    } finally {
      this.#isRebuilding = false;
    }
  });

  async state() {
    const { done, total, processes, isComplete } = await this.#stateOf(await this.#parts.snapshots.wantedBuild());
    const isBuilding = this.#isRebuilding || !isComplete;
    return { isComplete: !isBuilding, ...(isBuilding ? { done, total, details: { processes } } : {}) };
  }

  async rebuild(run: RebuildRun): Promise<void> {
    const { snapshots, tables, search, clock } = this.#parts;
    const kept = run.resumedFrom?.['build'];
    const build = typeof kept === 'string' ? kept : await snapshots.wantAnother();
    await run.checkpoint({ build });
    await tables.write(LOCK, async (own) => own.signal(BUILD_WANTED));
    const beganMs = clock.monotonicMs();
    for (;;) {
      run.signal.throwIfAborted();
      const { done, total, isComplete } = await this.#stateOf(build);
      run.progress({ done: Math.min(done, total), total });
      // Processes that missed the signal check for a rebuild themselves within this time.
      const haveAllHeard = clock.monotonicMs() - beganMs > BUILD_LOOK_MS;
      if (isComplete && haveAllHeard && (await search.hasBuild(await snapshots.wantedBuild()))) return;
      await pause(LOOK_MS, clock, run.signal);
    }
  }

  #stateOf(build: string): Promise<BuildState> {
    return this.#parts.tables.read(async (own, snapshot) => {
      const nowMs = await snapshot.databaseMs();
      const rows = (await own.select(REBUILDS_TABLE, { build })).filter(
        (row) => Number(row['is_done']) === 1 || Number(row['seen_ms']) > nowMs - SILENT_MS,
      );
      const sum = (column: string) => rows.reduce((all, row) => all + Number(row[column]), 0);
      const isComplete = rows.every((row) => Number(row['is_done']) === 1);
      return { done: sum('done'), total: sum('total'), processes: rows.length, isComplete };
    });
  }

  /** Reports the progress about once a second; the rebuild does not wait for the report. */
  #tell(build: string, done: number, total: number): void {
    const { clock, log } = this.#parts;
    if (clock.monotonicMs() - this.#saidMs < LOOK_MS) return;
    this.#say(build, done, total, false).catch((error: unknown) => {
      log.debug('how far the search index is could not be stored', { error });
    });
  }

  async #say(build: string, done: number, total: number, isDone: boolean): Promise<void> {
    this.#saidMs = this.#parts.clock.monotonicMs();
    await this.#parts.tables.write(LOCK, async (own, transaction) => {
      const nowMs = await transaction.databaseMs();
      const row: Record<string, SqlValue> = { build, done, total, is_done: isDone ? 1 : 0, seen_ms: nowMs };
      const [known] = await own.select(REBUILDS_TABLE, { process: this.#process });
      if (known === undefined) await own.insertRows(REBUILDS_TABLE, [{ process: this.#process, ...row }]);
      else await own(REBUILDS_TABLE).where({ process: this.#process }).update(row);
      await own(REBUILDS_TABLE)
        .where('seen_ms', '<', nowMs - KEPT_MS)
        .delete();
    });
  }
}
