import { type ContentColumns, sealRow } from '../../kernel/internal-api.ts';
import { DEFAULT_TENANT, type Migration, type SealedColumns } from '../../kernel/plugin-api.ts';

/** The directory belongs to the node and lists all tenants. Its rows remain after an erasure. */
export const TENANTS_TABLE = 'multi_tenant_tenants';

export const SEALED = {
  table: TENANTS_TABLE,
  key: ['id'],
  columns: ['removed', 'receipt'],
  plain: ['id', 'status'],
} as const satisfies SealedColumns;

export const multiTenantMigrations: readonly Migration[] = [
  {
    number: 17,
    name: 'tenant_directory',
    async up({ schema, data }) {
      await schema.createTable(TENANTS_TABLE, (table) => {
        table.text('id').primary();
        table.text('name');
        table.text('status').notNullable();
        table.bigInteger('created_ms').notNullable();
        table.bigInteger('suspended_ms');
        table.text('requested_by');
        table.bigInteger('requested_ms');
        table.text('job_id');
        table.text('removed');
        table.text('receipt');
        table.text('seal').notNullable();
      });
      // The other tenants are added at the first use of the directory, from the data of the plugins.
      const row = { id: DEFAULT_TENANT, status: 'active', created_ms: await data.databaseMs() };
      await data.insertRows(TENANTS_TABLE, [sealRow(SEALED, row)]);
    },
  },
];

export const multiTenantContents: readonly ContentColumns[] = [
  { table: TENANTS_TABLE, key: ['id'], texts: ['name', 'removed', 'receipt'] },
];
