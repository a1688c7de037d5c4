import type { Migration } from '../../kernel/plugin-api.ts';

/** The table of the remaining tokens of each quota. A holder without a row has a full quota. */
export const BUCKETS_TABLE = 'rate_limits_buckets';

/**
 * The table of the bytes that each entity and its programs have stored. A tenant's row without an entity holds the
 * ledger number up to which facts are counted.
 */
export const STORED_TABLE = 'rate_limits_stored';

export const rateLimitsMigrations: readonly Migration[] = [
  {
    number: 29,
    name: 'rate_limits',
    async up({ schema }) {
      await schema.createTable(BUCKETS_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        // The digest of holder and dimension, which together are too long for an index.
        table.text('bucket').notNullable();
        table.double('tokens').notNullable();
        // The instants of `tokens` and of the last recorded refusal, by the store's clock.
        table.bigInteger('at_ms').notNullable().index();
        table.bigInteger('breached_ms').notNullable();
        table.primary(['tenant_id', 'bucket']);
      });
      await schema.createTable(STORED_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.text('entity_uri').notNullable();
        table.bigInteger('bytes').notNullable();
        table.bigInteger('counted_to').notNullable();
        table.primary(['tenant_id', 'entity_uri']);
      });
    },
  },
];
