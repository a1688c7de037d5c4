import type { Migration } from '../../kernel/plugin-api.ts';
import { CHECKPOINTS_TABLE } from './fact-chain-tables.ts';

export const factChainMigrations: readonly Migration[] = [
  {
    number: 21,
    name: 'fact_chain',
    async up({ schema }) {
      await schema.createTable(CHECKPOINTS_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.bigInteger('log_index').notNullable();
        table.text('id').notNullable();
        table.bigInteger('covered_chain_seq').notNullable();
        table.text('chain_hash').notNullable();
        table.text('prev_hash');
        table.bigInteger('created_ms').notNullable();
        table.bigInteger('covered_number').notNullable();
        table.primary(['tenant_id', 'log_index']);
      });
    },
  },
];
