import { DEFAULT_TENANT, type Migration } from '../../kernel/plugin-api.ts';

/** The directory is a table of the node: it says which tenants there are, and outlives those that are erased. */
export const TENANTS_TABLE = 'multi_tenant_tenants';

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
      });
      // The others are added when somebody first asks for the directory, by what the plugins know of.
      const row = { id: DEFAULT_TENANT, status: 'active', created_ms: await data.databaseMs() };
      await data.insertRows(TENANTS_TABLE, [row]);
    },
  },
];
