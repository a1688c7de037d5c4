import { ErasedTenant, type FactStore, type Snapshot, type WriteTransaction } from '../../ports/ports.ts';
import { ContentBorder, type ReadPeriod } from '../store/content-border.ts';
import {
  isTransaction,
  narrowSnapshot,
  narrowTransaction,
  wideSnapshot,
  wideTransaction,
} from '../store/narrow-transaction.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import { DamagedRow } from '../store/sealed-json.ts';
import type { ReportDamage } from '../store/stored-rows.ts';
import { tablePrefix } from './check-plugin.ts';
import type { PluginTables, ReadableTables, WritableTables } from './plugin-definition.ts';

/**
 * Returns the store's name of a plugin's topic. Plugin names and topics of the kernel contain no colon, so that no two
 * owners share a topic.
 */
export const pluginTopic = (plugin: string, topic: string): string => `${plugin}:${topic}`;

/**
 * Creates the access to a plugin's own tables. A wrong table name, or a call in the wrong context, is a bug: it throws
 * at once, and the message names the right call.
 */
export const createPluginTables = (
  store: FactStore,
  plugin: string,
  report: ReportDamage = () => undefined,
  border: ContentBorder = new ContentBorder(undefined, []),
  /** Resolves when the awaited listeners that run now have ended. */
  heard: () => Promise<void> = async () => {},
): PluginTables => {
  const prefix = tablePrefix(plugin);
  const own = (table: string): string => {
    if (table.startsWith(prefix)) return table;
    throw new Error(`${plugin} has no table ${table}: its tables start with ${prefix}`);
  };
  const hiding: Pick<ReadableTables, 'hide' | 'show'> = {
    hide: (tenantId, table, column, text) => border.hide(tenantId, own(table), column, text),
    show: (tenantId, table, column, hidden) => border.show(tenantId, own(table), column, hidden),
  };
  const readable = (snapshot: Snapshot, readPeriod?: ReadPeriod): ReadableTables =>
    Object.assign((table: string) => border.sealQuery(table, snapshot.table(own(table)), readPeriod), {
      select: ((table, where, page) => {
        const found = snapshot.select(own(table), where, page);
        return border.hasContent(table) ? found.then((rows) => border.fromStore(table, rows, where)) : found;
      }) as ReadableTables['select'],
      ...parsers(report),
      ...hiding,
    });
  const writable = (transaction: WriteTransaction): WritableTables =>
    Object.assign(
      readable(transaction, () => transaction.period()),
      {
        insertRows: ((table, rows) =>
          border.hasPeriods(own(table))
            ? transaction.period().then((period) => transaction.insertRows(table, border.toStore(table, rows, period)))
            : transaction.insertRows(table, border.toStore(table, rows))) as WritableTables['insertRows'],
        signal: ((topic) => transaction.signal(pluginTopic(plugin, topic))) as WritableTables['signal'],
      },
    );
  // The type distinguishes snapshots and transactions. At run time, only a transaction can insert.
  const inside = ((narrow: PluginSnapshot) =>
    isTransaction(narrow) ? writable(wideTransaction(narrow)) : readable(wideSnapshot(narrow))) as PluginTables['in'];
  const outside = (table: string) => {
    if (store.insideWrite?.()) {
      throw new Error(`${plugin} uses ${table} outside the write it is in: inside a write use tables.in(transaction)`);
    }
    return border.sealQuery(table, store.table(own(table)));
  };
  const write: PluginTables['write'] = (tenantId, work) =>
    store
      .write(tenantId, (transaction) => work(writable(transaction), narrowTransaction(transaction)))
      .then((result) => heard().then(() => result));
  return Object.assign(outside, {
    ...hiding,
    in: inside,
    write,
    writeUnlessErased: ((tenantId, work) =>
      write(tenantId, work).catch((error: unknown) => {
        if (error instanceof ErasedTenant) return undefined;
        throw error;
      })) as PluginTables['writeUnlessErased'],
    read: ((work) =>
      store.read((snapshot) => work(readable(snapshot), narrowSnapshot(snapshot)))) as PluginTables['read'],
  });
};

const parsers = (report: ReportDamage): Pick<ReadableTables, 'parse' | 'parseOne'> => ({
  parse: (rows, parse, damaged) =>
    rows.flatMap((row) => {
      try {
        return [parse(row)];
      } catch (error) {
        if (!(error instanceof DamagedRow)) throw error;
        report(error);
        damaged?.(row);
        return [];
      }
    }),
  parseOne: (row, parse) => {
    try {
      return row === undefined ? undefined : parse(row);
    } catch (error) {
      if (error instanceof DamagedRow) report(error);
      throw error;
    }
  },
});
