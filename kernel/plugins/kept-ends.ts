import type { Clock, Row } from '../../ports/ports.ts';
import type { Requires } from '../container/requires.ts';
import { createIdJournal } from '../files/id-journal.ts';
import type { PluginContext, PluginTables, ReadableTables, WritableTables } from './plugin-definition.ts';

/** Rows that end once and for all, with their id and the time of their end. */
export interface EndingRows {
  readonly table: string;
  readonly id: string;
  /** The column with the milliseconds of the end; null before. */
  readonly endedMs: string;
  /** Ends a row that is there and has not ended. */
  end(own: WritableTables, row: Row, nowMs: number): Promise<void>;
}

export interface KeptEndsParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  /** A file beside the store. */
  readonly file: string;
  readonly kinds: readonly EndingRows[];
  /** Returns the tenant in which rows of a tenant are written. */
  tenantOf(tenantId: string): string;
}

/** Keeps ends beside the store, so that a restore of an older state does not take them back. */
interface KeptEnds {
  /** Ends the rows again that an older state of the store shows as not ended. Returns their number. */
  repeat(): Promise<number>;
  /** Writes down the ends since the last call. */
  note(): Promise<void>;
}

/** Repeats the ends when the node starts, and notes them then and after each signal of the topic. */
export const keepEnds = (
  { onStart, onStop, onSignal, log }: Pick<PluginContext<Requires, never>, 'onStart' | 'onStop' | 'onSignal' | 'log'>,
  { topic, ...parts }: KeptEndsParts & { readonly topic: string },
): void => {
  const ends = createKeptEnds(parts);
  onStart(async () => {
    const count = await ends.repeat();
    if (count > 0) log.warn('ends were taken back, as by a restore, and are repeated', { count });
    await ends.note();
  });
  let noting = Promise.resolve();
  onSignal(topic, () => {
    noting = noting
      .then(() => ends.note())
      .catch((error: unknown) => {
        log.warn('an end could not be written beside the store; the next start tries again', { error });
      });
  });
  // The store closes after the plugins.
  onStop(() => noting);
};

const AT_ONCE = 500;
/** Clocks of processes differ, so the last part of the time is looked at once more. */
const LOOKED_BACK_MS = 600_000;

const createKeptEnds = ({ tables, clock, file, kinds, tenantOf }: KeptEndsParts): KeptEnds => {
  const journal = createIdJournal(file);
  let sinceMs = 0;
  const repeatOf = async (kind: EndingRows, ids: readonly string[]): Promise<number> => {
    const open = await tables.read((own) => openAmong(own, kind, ids));
    for (const row of open) {
      await tables.write(tenantOf(String(row['tenant_id'])), async (own) => {
        const [found] = await openAmong(own, kind, [String(row[kind.id])]);
        if (found !== undefined) await kind.end(own, found, clock.nowMs());
      });
    }
    return open.length;
  };
  return {
    async repeat() {
      const ids = [...(await journal.read())];
      let count = 0;
      for (const kind of kinds) {
        for (let at = 0; at < ids.length; at += AT_ONCE) count += await repeatOf(kind, ids.slice(at, at + AT_ONCE));
      }
      return count;
    },
    async note() {
      const nowMs = clock.nowMs();
      for (const { table, id, endedMs } of kinds) {
        const since = Math.max(0, sinceMs - LOOKED_BACK_MS);
        const rows = (await tables.read((own) => own(table).select(id).where(endedMs, '>=', since))) as Row[];
        await journal.add(rows.map((row) => String(row[id])));
      }
      sinceMs = nowMs;
    },
  };
};

const openAmong = async (
  own: ReadableTables,
  { table, id, endedMs }: EndingRows,
  ids: readonly string[],
): Promise<Row[]> =>
  ids.length === 0 ? [] : (await own.select(table, { [id]: [...ids] })).filter((row) => row[endedMs] == null);
