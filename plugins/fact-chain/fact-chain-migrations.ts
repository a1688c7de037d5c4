import type { Migration } from '../../kernel/plugin-api.ts';
import { anchorInSteps, makeAnchors } from './anchor-old-chain.ts';
import { CHECKPOINTS_TABLE } from './fact-chain-tables.ts';

/** Held a link for each fact, until the links came into the rows of the facts. */
const OLD_LINKS_TABLE = 'fact_chain_links';

export const factChainMigrations: readonly Migration[] = [
  {
    number: 21,
    name: 'fact_chain',
    async up({ schema }) {
      await schema.createTable(OLD_LINKS_TABLE, (table) => {
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
  {
    number: 45,
    name: 'fact_chain_anchors',
    prepare: anchorInSteps,
    async up(schema) {
      await makeAnchors(schema);
      await schema.schema.dropTable(OLD_LINKS_TABLE);
    },
  },
];
