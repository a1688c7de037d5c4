import { addPeriod, type ContentColumns } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';
import { STUBS_TABLE } from './chain/chain-stub.ts';
import { CHECKPOINTS_TABLE } from './chain/entry-checkpoints.ts';
import { ENTRIES_TABLE } from './entry-rows.ts';
import { READS_TABLE } from './read-counts.ts';

export const auditMigrations: readonly Migration[] = [
  {
    number: 7,
    name: 'fact_audit',
    async up({ schema, raw }) {
      await schema.createTable(ENTRIES_TABLE, (table) => {
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
        // Random, so that nobody guesses the detail by its hash.
        table.text('detail_salt');
        table.text('detail_hash');
        table.bigInteger('chain_seq').notNullable();
        table.text('link_hash').notNullable();
        addPeriod(table);
        table.primary(['tenant_id', 'seq'], 'audit_entries_key');
        table.index(['tenant_id', 'ts_ms'], 'audit_entries_time');
        table.index(['tenant_id', 'entity_uri', 'ts_ms'], 'audit_entries_entity');
      });
      await raw(
        `CREATE INDEX audit_entries_fact ON ${ENTRIES_TABLE} (tenant_id, fact_id, ts_ms) WHERE fact_id IS NOT NULL`,
      );
      await schema.createTable(CHECKPOINTS_TABLE, (table) => {
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
      });
      await schema.createTable(READS_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.text('day').notNullable();
        table.text('entity_uri').notNullable();
        table.text('key_id').notNullable();
        table.bigInteger('reads').notNullable();
        table.primary(['tenant_id', 'day', 'entity_uri', 'key_id'], 'audit_reads_key');
      });
      await schema.createTable(STUBS_TABLE, (table) => {
        table.text('tenant_id').notNullable().primary();
        table.bigInteger('covered_number').notNullable();
        table.bigInteger('covered_chain_seq').notNullable();
        table.text('chain_hash');
        table.bigInteger('floor_ms').notNullable();
        table.bigInteger('created_ms').notNullable();
        table.text('signed_by');
        table.text('signature');
      });
    },
  },
];

/** Entries whose detail does not open still have their place in the chain, until the retention deletes them. */
export const auditContents: readonly ContentColumns[] = [
  { table: ENTRIES_TABLE, key: ['tenant_id', 'seq'], expiring: ['detail', 'detail_salt'], keepsEnded: true },
];
