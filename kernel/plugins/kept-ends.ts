import type { Clock, Row } from '../../ports/ports.ts';
import type { Requires } from '../container/requires.ts';
import { createIdJournal } from '../files/id-journal.ts';
import { portions } from '../lists/portions.ts';
import type { PluginContext, PluginTables, ReadableTables, WritableTables } from './plugin-definition.ts';

type Lifecycle = Pick<PluginContext<Requires, never>, 'onStart' | 'onStop' | 'onSignal' | 'log'>;

/** Rights and duties that were taken away, and must stay away when an older state of the store comes back. */
export interface Withdrawals {
  /**
   * Returns the entries of the withdrawals since an instant; those that the journal has already may be among them.
   * An entry holds ids and instants, and no secret, because the journal is copied together with backups.
   */
  since(own: ReadableTables, sinceMs: number): Promise<readonly string[]>;
  /** Withdraws again what an older state of the store shows as not withdrawn. Returns how many there were. */
  repeat(journaled: ReadonlySet<string>): Promise<number>;
}

interface KeptParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  /** A file beside the store. */
  readonly file: string;
  /** The signal after a withdrawal. Undefined where each withdrawal calls `add` before its commit. */
  readonly topic?: string;
  /** Whether an entry has no use any more, such as one of a token that has expired. The next start removes it. */
  isOver?(entry: string, nowMs: number): boolean;
}

/** The journal of the withdrawals of a plugin. */
export interface KeptWithdrawals {
  /** Writes down entries at once, for a change that leaves no row to find it by. */
  add(entries: readonly string[]): Promise<void>;
}

/** Clocks of processes differ, so the last part of the time is looked at once more. */
const LOOKED_BACK_MS = 600_000;

/**
 * Repeats the withdrawals when the node starts, and notes them then and after each signal of the topic. The write that
 * sent the signal waits for the note, so that no kill takes back an acknowledged withdrawal.
 */
export const keepWithdrawals = (
  { onStart, onStop, onSignal, log }: Lifecycle,
  { tables, clock, file, topic, isOver, kinds }: KeptParts & { readonly kinds: readonly Withdrawals[] },
): KeptWithdrawals => {
  const journal = createIdJournal(file, log);
  let sinceMs = 0;
  const note = async (): Promise<void> => {
    const nowMs = clock.nowMs();
    // A clock that was set back has dated the latest withdrawals before the last look.
    const fromMs = Math.max(0, Math.min(sinceMs, nowMs) - LOOKED_BACK_MS);
    for (const kind of kinds) await journal.add(await tables.read((own) => kind.since(own, fromMs)));
    sinceMs = nowMs;
  };
  onStart(async () => {
    const nowMs = clock.nowMs();
    if (isOver !== undefined) await journal.prune((entry) => isOver(entry, nowMs));
    const journaled = await journal.read();
    let count = 0;
    for (const kind of kinds) count += await kind.repeat(journaled);
    if (count > 0) log.warn('ends that the store lacks, after a restore or a kill, are repeated', { count });
    await note();
  });
  let noting = Promise.resolve();
  let isBehind = false;
  const noteNext = (): Promise<void> => {
    noting = noting
      .catch(() => {})
      .then(note)
      .then(
        () => {
          isBehind = false;
        },
        (error: unknown) => {
          isBehind = true;
          throw error;
        },
      );
    return noting;
  };
  if (topic !== undefined) onSignal(topic, noteNext, { isAwaited: true });
  // The store closes after the plugins. A restore may follow, so the stop tries once more.
  onStop(async () => {
    await noting.catch(() => {});
    if (isBehind) await noteNext();
  });
  return { add: (entries) => journal.add(entries) };
};

/** Rows that end once and for all, with their id and the time of their end. */
export interface EndingRows {
  readonly table: string;
  readonly id: string;
  /** The column with the milliseconds of the end; null before. */
  readonly endedMs: string;
  /** Ends a row that is there and has not ended. */
  end(own: WritableTables, row: Row, nowMs: number): Promise<void>;
}

export interface KeptEndsParts extends KeptParts {
  readonly kinds: readonly EndingRows[];
  /** Returns the tenant in which rows of a tenant are written. */
  tenantOf(tenantId: string): string;
}

/** Keeps the ends of rows beside the store, as `keepWithdrawals` does. */
export const keepEnds = (lifecycle: Lifecycle, { kinds, tenantOf, ...parts }: KeptEndsParts): void => {
  const { tables, clock } = parts;
  keepWithdrawals(lifecycle, { ...parts, kinds: kinds.map((kind) => endsOf(kind, { tables, clock, tenantOf })) });
};

const AT_ONCE = 500;

const endsOf = (
  kind: EndingRows,
  { tables, clock, tenantOf }: Pick<KeptEndsParts, 'tables' | 'clock' | 'tenantOf'>,
): Withdrawals => {
  const repeatOf = async (ids: readonly string[]): Promise<number> => {
    const open = await tables.read((own) => openAmong(own, kind, ids));
    for (const row of open) {
      await tables.writeUnlessErased(tenantOf(String(row['tenant_id'])), async (own) => {
        const [found] = await openAmong(own, kind, [String(row[kind.id])]);
        if (found !== undefined) await kind.end(own, found, clock.nowMs());
      });
    }
    return open.length;
  };
  return {
    async repeat(journaled) {
      let count = 0;
      for (const ids of portions([...journaled], AT_ONCE)) count += await repeatOf(ids);
      return count;
    },
    async since(own, sinceMs) {
      const rows = (await own(kind.table).select(kind.id).where(kind.endedMs, '>=', sinceMs)) as Row[];
      return rows.map((row) => String(row[kind.id]));
    },
  };
};

const openAmong = async (
  own: ReadableTables,
  { table, id, endedMs }: EndingRows,
  ids: readonly string[],
): Promise<Row[]> =>
  ids.length === 0 ? [] : (await own.select(table, { [id]: [...ids] })).filter((row) => row[endedMs] == null);
