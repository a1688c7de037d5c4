import { compareHlc, type Hlc, type SqlValue, type StoreCopy } from '../../ports/ports.ts';
import { FEED_ENTRIES_TABLE, LEDGERS_TABLE } from './fact-table.ts';
import { identifier } from './sql-identifier.ts';

/** Queries the copy, or the snapshot from which it is made. */
export type AskRows = (sql: string) => Promise<SqlValue[][]>;

type Described = Pick<StoreCopy, 'nodeId' | 'epoch' | 'head' | 'ledgers' | 'migrations'>;

/** Describes a copy of these tables. A table that an older version lacks counts as empty. */
export const describeCopy = async (tables: readonly string[], ask: AskRows): Promise<Described> => {
  const rowsOf = async (table: string, columns: string, rest = ''): Promise<SqlValue[][]> =>
    tables.includes(table) ? ask(`SELECT ${columns} FROM ${table} ${rest}`) : [];
  const [[nodeId = null] = []] = await rowsOf('node_settings', 'value', "WHERE key = 'node_id'");
  const [[epoch = ''] = []] = await rowsOf('node_clock', 'epoch', 'WHERE id = 1');
  const ledgers = await rowsOf(
    LEDGERS_TABLE,
    'tenant_id, number, link_hash, feed_wall, feed_ctr',
    'ORDER BY tenant_id',
  );
  const announced = await rowsOf(
    FEED_ENTRIES_TABLE,
    'feed_wall, feed_ctr',
    'ORDER BY feed_wall DESC, feed_ctr DESC LIMIT 1',
  );
  const migrations = await rowsOf('schema_migrations', 'version, owner', 'ORDER BY version');
  return {
    nodeId: nodeId === null ? null : String(nodeId),
    epoch: String(epoch),
    head: newest([...ledgers.map((row) => row.slice(3)), ...announced]),
    ledgers: ledgers.map(([tenantId, number, link]) => ({
      tenantId: String(tenantId),
      number: Number(number),
      link: link instanceof Uint8Array ? Buffer.from(link).toString('hex') : null,
    })),
    migrations: migrations.map(([version, owner]) => ({ version: String(version), owner: String(owner) })),
  };
};

/** Returns the number of rows by table. */
export const countRows = async (tables: readonly string[], ask: AskRows): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [[rows = 0] = []] = await ask(`SELECT count(*) FROM ${identifier(table)}`);
    counts[table] = Number(rows);
  }
  return counts;
};

const newest = (stamps: readonly SqlValue[][]): Hlc | null =>
  stamps
    .filter(([wall]) => wall !== null && wall !== undefined)
    .map(([wall, counter]) => ({ wallMs: Number(wall), counter: Number(counter) }))
    .reduce<Hlc | null>((one, other) => (one === null || compareHlc(one, other) < 0 ? other : one), null);
