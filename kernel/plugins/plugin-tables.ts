import type { FactStore, Snapshot, WriteTransaction } from '../../ports/ports.ts';
import {
  isTransaction,
  narrowSnapshot,
  narrowTransaction,
  wideSnapshot,
  wideTransaction,
} from '../store/narrow-transaction.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import { tablePrefix } from './check-plugin.ts';
import type { PluginTables, ReadableTables, WritableTables } from './plugin-definition.ts';

/** A name holds no colon, so no two plugins share a topic; topics of the kernel hold none either. */
export const pluginTopic = (plugin: string, topic: string): string => `${plugin}:${topic}`;

/**
 * A plugin's own tables. A wrong name or a wrong place is a bug of the plugin and throws at once, with the right call
 * in the message.
 */
export const createPluginTables = (store: FactStore, plugin: string): PluginTables => {
  const prefix = tablePrefix(plugin);
  const own = (table: string): string => {
    if (table.startsWith(prefix)) return table;
    throw new Error(`${plugin} has no table ${table}: its tables start with ${prefix}`);
  };
  const readable = (snapshot: Snapshot): ReadableTables =>
    Object.assign((table: string) => snapshot.table(own(table)), {
      select: ((table, where, page) => snapshot.select(own(table), where, page)) as ReadableTables['select'],
    });
  const writable = (transaction: WriteTransaction): WritableTables =>
    Object.assign(readable(transaction), {
      insertRows: ((table, rows) => transaction.insertRows(own(table), rows)) as WritableTables['insertRows'],
      signal: ((topic) => transaction.signal(pluginTopic(plugin, topic))) as WritableTables['signal'],
    });
  // The type tells which of the two is returned; at run time only a transaction can insert.
  const inside = ((narrow: PluginSnapshot) =>
    isTransaction(narrow) ? writable(wideTransaction(narrow)) : readable(wideSnapshot(narrow))) as PluginTables['in'];
  const outside = (table: string) => {
    if (store.insideWrite?.()) {
      throw new Error(`${plugin} uses ${table} outside the write it is in: inside a write use tables.in(transaction)`);
    }
    return store.table(own(table));
  };
  return Object.assign(outside, {
    in: inside,
    write: ((tenantId, work) =>
      store.write(tenantId, (transaction) =>
        work(writable(transaction), narrowTransaction(transaction)),
      )) as PluginTables['write'],
    read: ((work) =>
      store.read((snapshot) => work(readable(snapshot), narrowSnapshot(snapshot)))) as PluginTables['read'],
  });
};
