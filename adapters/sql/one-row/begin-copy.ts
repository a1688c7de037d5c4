import type { MigrationSchema } from '../../../ports/ports.ts';
import { createFactTable, createLedgerTable } from '../fact-table.ts';
import { createPlaceTable, PLACE_TABLE } from './copy-place.ts';
import { NEXT_LEDGERS } from './next-ledgers.ts';
import { OLD_AUDIT, OLD_BILLING, OLD_FACTS, oldTables } from './old-tables.ts';

/** The table that takes the place of the old one. */
export const NEXT_FACTS = 'facts_next';

/** How many numbers each tenant keeps free behind an entry of the audit log, for entries that are no facts. */
export const ROOM_TABLE = 'one_row_room';

export const BILLING_INDEX = 'one_row_billing';

/** What processes of the older version are told when they write. */
const UPGRADING = 'the store is being upgraded: stop this process and start the newer version of the program';

/** The copy needs none of them, and their space takes the new table. */
const OLD_INDEXES = ['by_id', 'by_triple', 'by_cid', 'by_timestamp', 'by_source', 'by_session'];

/** Whether there is nothing that needs a number. */
export const isEmptyStore = async (schema: MigrationSchema): Promise<boolean> => {
  for (const table of await oldTables(schema)) {
    if ((await schema.data.table(table).limit(1)).length > 0) return false;
  }
  return true;
};

/** Ends all writes of older versions and makes the tables of the copy. Returns the number of facts to copy. */
export const beginCopy = async (schema: MigrationSchema): Promise<number> => {
  const { dialect, data } = schema;
  const old = await oldTables(schema);
  const statements = [
    ...old.flatMap((table) => dialect.refuseInserts(table, UPGRADING)),
    ...OLD_INDEXES.map((index) => `DROP INDEX facts_${index}`),
    `CREATE UNIQUE INDEX one_row_stamps ON ${OLD_FACTS} (feed_wall, feed_ctr)`,
    createFactTable(dialect, NEXT_FACTS),
    createLedgerTable(dialect, NEXT_LEDGERS),
    createPlaceTable,
    createRoomTable(dialect.textType),
    ...(old.includes(OLD_AUDIT) ? [FIND_ROOM, BEGIN_LEDGERS] : []),
    ...(old.includes(OLD_BILLING) ? [`CREATE INDEX ${BILLING_INDEX} ON ${OLD_BILLING} (fact_id)`] : []),
    ...old.flatMap((table) => dialect.gatherStatistics(table)),
  ];
  for (const statement of statements) await schema.raw(statement);
  const [counted] = (await data.table(OLD_FACTS).count({ facts: '*' })) as { facts: number | string }[];
  const total = Number(counted?.facts ?? 0);
  await data.insertRows(PLACE_TABLE, [{ wall: -1, ctr: 0, copied: 0, total, indexes: 0 }]);
  return total;
};

const createRoomTable = (text: string): string => `CREATE TABLE ${ROOM_TABLE} (
  tenant_id ${text} NOT NULL,
  after_seq BIGINT NOT NULL,
  entries BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, after_seq)
)`;

/** Entries that are no facts, by the entry of a fact before them; 0 stands for none. */
const FIND_ROOM = `INSERT INTO ${ROOM_TABLE} (tenant_id, after_seq, entries, last_seq)
SELECT tenant_id, after_seq, count(*), max(seq) FROM (
  SELECT tenant_id, seq, event_type,
    coalesce(max(CASE WHEN event_type = 'fact_write' THEN seq END) OVER (PARTITION BY tenant_id ORDER BY seq), 0)
      AS after_seq
  FROM ${OLD_AUDIT}
) AS entries WHERE event_type <> 'fact_write' GROUP BY tenant_id, after_seq`;

/** Entries before the first fact keep their numbers. */
const BEGIN_LEDGERS = `INSERT INTO ${NEXT_LEDGERS} (tenant_id, number)
SELECT tenant_id, last_seq FROM ${ROOM_TABLE} WHERE after_seq = 0`;
