import type { ContentColumns, MigrationSchema } from '../../../kernel/internal-api.ts';

/** The table with one row for each tombstone that has a running or finished erasure. */
export const ERASURES = 'tombstones_erasures';

export const createErasureTables = async ({ schema }: MigrationSchema): Promise<void> => {
  await schema.createTable(ERASURES, (table) => {
    table.text('tenant_id').notNullable();
    table.text('tombstone_id').notNullable();
    // The only node whose facts are erased; an empty text to erase the facts of all nodes.
    table.text('origin_node_id').notNullable();
    table.text('requested_by').notNullable();
    table.text('state').notNullable();
    table.text('position').notNullable();
    table.text('counts').notNullable();
    table.bigInteger('touched_ms').notNullable();
    table.text('receipt');
    table.primary(['tenant_id', 'tombstone_id']);
    table.index(['state', 'touched_ms'], 'tombstones_erasures_open');
  });
};

export const erasureContents: readonly ContentColumns[] = [
  { table: ERASURES, key: ['tenant_id', 'tombstone_id'], texts: ['receipt'] },
];
