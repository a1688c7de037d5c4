import type { ChainLink, Migration, MigrationData, MigrationSchema, Row } from '../../../kernel/plugin-api.ts';
import { ENTRIES_TABLE, entryFromRow, linkFromRow, rowOfEntry } from '../entry-rows.ts';
import { STUBS_TABLE } from './chain-stub.ts';
import { CHECKPOINTS_TABLE } from './entry-checkpoints.ts';
import { linkAfter } from './entry-link.ts';

/** The table that takes the place of the old one. */
const NEXT_TABLE = 'audit_entries_linked';

const ROWS_A_STEP = 2_000;

/** Gives every entry its link. Tenant by tenant, so that the last row of the new table says where to go on. */
export const linkEntries: Migration = {
  number: 68,
  name: 'audit_chain',
  async prepare({ schema, data, tables }, progress) {
    if (!(await tables()).includes(NEXT_TABLE)) await createNextTable(schema);
    const last = await lastRow(data);
    const rows = await rowsBehind(last, data);
    let previous: { readonly tenantId: string; readonly link: ChainLink } | undefined = last && {
      tenantId: String(last['tenant_id']),
      link: linkFromRow(last),
    };
    const linked = rows.map((row): Row => {
      const entry = entryFromRow(row);
      const { tenantId } = entry;
      const link = linkAfter(previous?.tenantId === tenantId ? previous.link : null, entry);
      previous = { tenantId, link };
      return rowOfEntry(entry, link);
    });
    if (linked.length > 0) {
      await data.insertRows(NEXT_TABLE, linked);
      const { tenant_id, seq } = linked.at(-1) as Row;
      progress(Number(seq), await highest(data, String(tenant_id)), 'audit entries linked');
    }
    return rows.length < ROWS_A_STEP;
  },
  async up(migration) {
    // Each look at the member is another builder.
    await migration.schema.dropTable(ENTRIES_TABLE).renameTable(NEXT_TABLE, ENTRIES_TABLE);
    await migration.schema.alterTable(ENTRIES_TABLE, (table) => {
      table.index(['tenant_id', 'ts_ms'], 'audit_entries_time');
      table.index(['tenant_id', 'entity_uri', 'ts_ms'], 'audit_entries_entity');
    });
    await migration.raw(
      'CREATE INDEX audit_entries_fact ON audit_entries (tenant_id, fact_id, ts_ms) WHERE fact_id IS NOT NULL',
    );
    await createSignedTables(migration.schema);
  },
};

type SchemaBuilder = MigrationSchema['schema'];

const createNextTable = async (schema: SchemaBuilder): Promise<void> => {
  await schema.createTable(NEXT_TABLE, (table) => {
    table.text('tenant_id').notNullable();
    table.bigInteger('seq').notNullable();
    table.text('id').notNullable();
    table.text('event_type').notNullable();
    table.text('entity_uri').notNullable();
    table.text('oidc_sub');
    table.text('fact_id');
    table.text('source').notNullable();
    table.text('attested_key_id');
    table.bigInteger('ts_ms').notNullable();
    table.text('detail');
    table.bigInteger('chain_seq').notNullable();
    table.text('link_hash').notNullable();
    table.primary(['tenant_id', 'seq'], 'audit_entries_linked_key');
  });
};

const createSignedTables = async (schema: SchemaBuilder): Promise<void> => {
  await schema
    .createTable(CHECKPOINTS_TABLE, (table) => {
      table.text('tenant_id').notNullable();
      table.bigInteger('log_index').notNullable();
      table.text('id').notNullable();
      table.bigInteger('covered_number').notNullable();
      table.bigInteger('covered_chain_seq').notNullable();
      table.text('chain_hash').notNullable();
      table.text('prev_hash');
      table.bigInteger('created_ms').notNullable();
      table.text('signed_by');
      table.text('signature');
      table.primary(['tenant_id', 'log_index'], 'audit_checkpoints_key');
      table.index(['tenant_id', 'covered_number'], 'audit_checkpoints_covered');
    })
    .createTable(STUBS_TABLE, (table) => {
      table.text('tenant_id').notNullable().primary();
      table.bigInteger('covered_number').notNullable();
      table.bigInteger('covered_chain_seq').notNullable();
      table.text('chain_hash');
      table.bigInteger('floor_ms').notNullable();
      table.bigInteger('created_ms').notNullable();
      table.text('signed_by');
      table.text('signature');
    });
};

const lastRow = async (data: MigrationData): Promise<Row | undefined> => {
  const order = [{ column: 'tenant_id', order: 'desc' } as const, { column: 'seq', order: 'desc' } as const];
  const [row] = (await data.table(NEXT_TABLE).orderBy(order).limit(1)) as Row[];
  return row;
};

const rowsBehind = async (last: Row | undefined, data: MigrationData): Promise<Row[]> => {
  const query = data.table(ENTRIES_TABLE).orderBy(['tenant_id', 'seq']).limit(ROWS_A_STEP);
  if (last !== undefined) {
    const [tenantId, seq] = [String(last['tenant_id']), Number(last['seq'])];
    // The bound alone gives the right rows. Named first, it lets the index find the place.
    query
      .where('tenant_id', '>=', tenantId)
      .whereNot((own) => own.where('tenant_id', tenantId).where('seq', '<=', seq));
  }
  return (await query) as Row[];
};

const highest = async (data: MigrationData, tenantId: string): Promise<number> => {
  const ofTenant = data.table(ENTRIES_TABLE).where('tenant_id', tenantId).orderBy('seq', 'desc');
  const [seq] = (await ofTenant.limit(1).pluck('seq')) as (number | string)[];
  return Number(seq ?? 0);
};
