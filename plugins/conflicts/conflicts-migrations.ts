import type { Migration } from '../../kernel/plugin-api.ts';
import { MEMBERS, RECORDS } from './conflict-record.ts';
import { separatedRecords, storeSeparated } from './separate-records.ts';
import { PAST_WINS, WINS } from './timeline-rows.ts';
import { WAITING } from './waiting-resolutions.ts';

/** The append lock guarantees one open record per triple and place. The unique column is a second guard. */
export const conflictsMigrations: readonly Migration[] = [
  {
    number: 15,
    name: 'conflict_records',
    async up({ schema }) {
      await schema.createTable(RECORDS, (table) => {
        table.text('conflict_id').primary();
        table.text('tenant_id').notNullable();
        table.text('entity_key').notNullable();
        table.text('relation_key').notNullable();
        table.text('scope').notNullable();
        table.text('status').notNullable();
        table.bigInteger('detected_ms').notNullable();
        table.text('resolved_by');
        table.text('open_triple').unique();
        table.integer('settled').notNullable();
        table.index(['tenant_id', 'entity_key', 'relation_key', 'scope'], 'conflicts_records_triple');
        table.index(['tenant_id', 'detected_ms', 'conflict_id'], 'conflicts_records_newest');
        table.index(['tenant_id', 'settled', 'entity_key'], 'conflicts_records_unsettled');
      });
      await schema.createTable(MEMBERS, (table) => {
        table.text('conflict_id').notNullable();
        table.text('fact_id').notNullable();
        table.primary(['conflict_id', 'fact_id']);
      });
    },
  },
  {
    number: 27,
    name: 'conflict_gardens',
    async up({ schema }) {
      await schema.alterTable(RECORDS, (table) => {
        table.text('gardens').notNullable().defaultTo('');
      });
    },
  },
  {
    number: 29,
    name: 'conflict_places',
    async up(migration) {
      const { schema } = migration;
      await schema.alterTable(MEMBERS, (table) => {
        table.double('confidence').notNullable().defaultTo(0);
        table.bigInteger('hlc_wall').notNullable().defaultTo(0);
        table.integer('hlc_ctr').notNullable().defaultTo(0);
        // Stores of older versions come by it with migration 048.
        table.text('tenant_id').notNullable().defaultTo('');
        table.index(['conflict_id', 'hlc_wall', 'hlc_ctr'], 'conflicts_members_newest');
        table.index(['conflict_id', 'confidence', 'hlc_wall', 'hlc_ctr'], 'conflicts_members_strongest');
      });
      await schema.createTable('conflicts_reigns', (table) => {
        // Digest of triple and place.
        table.text('triple').notNullable();
        table.text('tenant_id').notNullable();
        table.text('entity_key').notNullable();
        table.text('relation_key').notNullable();
        table.text('scope').notNullable();
        table.text('place').notNullable();
        table.text('fact_id').notNullable();
        table.text('value_key').notNullable();
        table.double('confidence').notNullable();
        table.bigInteger('hlc_wall').notNullable();
        table.integer('hlc_ctr').notNullable();
        table.bigInteger('from_ms').notNullable();
        table.bigInteger('until_ms').notNullable();
        table.bigInteger('contested_until_ms').notNullable();
        // The rest is of the place, and the same in each of its rows.
        table.bigInteger('known_until_ms').notNullable();
        table.text('lasting_id').notNullable();
        table.text('lasting_value_key').notNullable();
        table.bigInteger('lasting_until_ms').notNullable();
        table.text('contesting_id').notNullable();
        table.text('contesting_value_key').notNullable();
        table.index(['triple'], 'conflicts_reigns_digest');
        table.index(['tenant_id', 'entity_key', 'relation_key', 'scope', 'place'], 'conflicts_reigns_place');
      });
      const records = await separatedRecords(migration.data);
      await schema.dropTable(RECORDS);
      await schema.createTable(RECORDS, (table) => {
        table.text('conflict_id').primary();
        table.text('tenant_id').notNullable();
        table.text('entity_key').notNullable();
        table.text('relation_key').notNullable();
        table.text('scope').notNullable();
        // The garden, or an empty text outside gardens.
        table.text('place').notNullable();
        table.text('status').notNullable();
        table.bigInteger('detected_ms').notNullable();
        table.text('resolved_by');
        // Digest of triple and place while the record is open, null afterwards: unique values, and any number of nulls.
        table.text('open_triple').unique();
        table.index(['tenant_id', 'detected_ms', 'conflict_id'], 'conflicts_records_newest');
        table.index(['tenant_id', 'status', 'detected_ms', 'conflict_id'], 'conflicts_records_by_status');
      });
      await storeSeparated(records, migration.data);
    },
  },
  {
    number: 48,
    name: 'conflicts_of_tenants',
    async up({ schema, data, hasColumn, setPrimaryKey }) {
      if (!(await hasColumn(MEMBERS, 'tenant_id'))) {
        await schema.alterTable(MEMBERS, (table) => {
          table.text('tenant_id').notNullable().defaultTo('');
        });
        const tenants: { tenant_id: string }[] = await data.table(RECORDS).distinct('tenant_id');
        for (const tenant of tenants) {
          await data
            .table(MEMBERS)
            .whereIn('conflict_id', data.table(RECORDS).select('conflict_id').where(tenant))
            .update(tenant);
        }
      }
      await schema.alterTable(RECORDS, (table) => {
        table.dropUnique(['open_triple']);
        table.unique(['tenant_id', 'open_triple'], { indexName: 'conflicts_records_open' });
      });
      await schema.alterTable(MEMBERS, (table) => {
        table.dropIndex([], 'conflicts_members_newest');
        table.dropIndex([], 'conflicts_members_strongest');
      });
      await schema.alterTable(MEMBERS, (table) => {
        table.index(['tenant_id', 'conflict_id', 'hlc_wall', 'hlc_ctr'], 'conflicts_members_newest');
        table.index(['tenant_id', 'conflict_id', 'confidence', 'hlc_wall', 'hlc_ctr'], 'conflicts_members_strongest');
      });
      await setPrimaryKey(RECORDS, ['tenant_id', 'conflict_id']);
      await setPrimaryKey(MEMBERS, ['tenant_id', 'conflict_id', 'fact_id']);
    },
  },
  {
    number: 58,
    name: 'conflicts_waiting',
    async up({ schema }) {
      await schema.createTable(WAITING, (table) => {
        table.text('tenant_id').notNullable();
        // Digest of triple and place.
        table.text('triple').notNullable();
        table.text('fact_id').notNullable();
        table.primary(['tenant_id', 'triple', 'fact_id']);
      });
    },
  },
  {
    number: 79,
    name: 'conflicts_record_time',
    async up({ schema }) {
      // Stored rows count from the beginning. A store cannot answer for moments before its upgrade.
      await schema.alterTable(WINS, (table) => {
        table.bigInteger('since_wall').notNullable().defaultTo(0);
        table.integer('since_ctr').notNullable().defaultTo(0);
      });
      await schema.createTable(PAST_WINS, (table) => {
        for (const column of ['triple', 'tenant_id', 'entity_key', 'relation_key', 'scope', 'place']) {
          table.text(column).notNullable();
        }
        table.text('fact_id').notNullable();
        table.text('value_key').notNullable();
        table.double('confidence').notNullable();
        for (const stamp of ['hlc', 'since', 'until']) {
          table.bigInteger(`${stamp}_wall`).notNullable();
          table.integer(`${stamp}_ctr`).notNullable();
        }
        for (const column of ['from_ms', 'until_ms', 'contested_until_ms']) table.bigInteger(column).notNullable();
        table.index(
          ['tenant_id', 'entity_key', 'relation_key', 'scope', 'place', 'since_wall', 'since_ctr'],
          'conflicts_past_reigns_place',
        );
        table.index(['tenant_id', 'triple'], 'conflicts_past_reigns_digest');
        table.index(['tenant_id', 'until_wall', 'until_ctr'], 'conflicts_past_reigns_end');
      });
    },
  },
];
