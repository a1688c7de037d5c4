import { addPeriod, type ContentColumns } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';

/** The owner of each agent's manifests, and the current manifest. */
export const AGENTS_TABLE = 'instructions_agents';
/** Audit tokens that were issued. */
export const TOKENS_TABLE = 'instructions_tokens';

export const instructionsMigrations: readonly Migration[] = [
  {
    number: 26,
    name: 'instructions',
    async up({ schema }) {
      await schema.createTable(AGENTS_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.text('agent_key').notNullable();
        table.text('owner').notNullable();
        table.text('fact_id').notNullable();
        table.primary(['tenant_id', 'agent_key']);
      });
      await schema.createTable(TOKENS_TABLE, (table) => {
        table.text('digest').notNullable();
        table.text('tenant_id').notNullable();
        table.text('entity_uri').notNullable();
        // The manifest, and the names of its loaded units.
        table.text('fact_id').notNullable();
        table.text('chunks').notNullable();
        table.bigInteger('issued_ms').notNullable();
        table.integer('is_used').notNullable();
        addPeriod(table);
        table.primary(['tenant_id', 'digest']);
        table.index(['issued_ms'], 'instructions_tokens_issued');
      });
    },
  },
];

export const instructionsContents: readonly ContentColumns[] = [
  { table: TOKENS_TABLE, key: ['tenant_id', 'digest'], expiring: ['chunks'] },
];
