import type { Migration } from '../../kernel/plugin-api.ts';

export const LINKS_TABLE = 'fact_chain_links';
export const CHECKPOINTS_TABLE = 'fact_chain_checkpoints';

/** Both keys of a link grow with the chain, so that a commit touches the last page of each. */
export const factChainMigrations: readonly Migration[] = [
  {
    number: 21,
    name: 'fact_chain',
    async up({ schema }) {
      await schema.createTable(LINKS_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.bigInteger('chain_seq').notNullable();
        table.bigInteger('feed_wall').notNullable();
        table.integer('feed_ctr').notNullable();
        table.text('fact_id').notNullable();
        table.bigInteger('created_ms').notNullable();
        table.text('event_hash').notNullable();
        table.text('link_hash').notNullable();
        table.primary(['tenant_id', 'chain_seq']);
        table.index(['feed_wall', 'feed_ctr'], 'fact_chain_links_feed');
      });
      await schema.createTable(CHECKPOINTS_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.bigInteger('log_index').notNullable();
        table.text('id').notNullable();
        table.bigInteger('covered_chain_seq').notNullable();
        table.text('chain_hash').notNullable();
        table.text('prev_hash');
        table.bigInteger('created_ms').notNullable();
        table.primary(['tenant_id', 'log_index']);
      });
    },
  },
];
