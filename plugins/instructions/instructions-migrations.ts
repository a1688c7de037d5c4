import type { Migration } from '../../kernel/plugin-api.ts';

/** Who owns an agent's manifests, and which of them counts. */
export const AGENTS_TABLE = 'instructions_agents';
/** Audit tokens that were given out. */
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
        table.text('digest').primary();
        table.text('tenant_id').notNullable();
        table.text('entity_uri').notNullable();
        // The manifest, and the names of the units that were loaded from it.
        table.text('fact_id').notNullable();
        table.text('chunks').notNullable();
        table.bigInteger('issued_ms').notNullable();
        table.integer('is_used').notNullable();
        table.index(['issued_ms'], 'instructions_tokens_issued');
      });
    },
  },
  {
    number: 36,
    name: 'instruction_claims',
    async up({ schema }) {
      await schema.alterTable(AGENTS_TABLE, (table) => {
        // 1 when the owner had the right to claim the agent. Claims from before the check are not known to be rightful.
        table.integer('is_rightful').notNullable().defaultTo(0);
      });
    },
  },
  {
    number: 51,
    name: 'audit_tokens_of_tenants',
    up: ({ setPrimaryKey }) => setPrimaryKey(TOKENS_TABLE, ['tenant_id', 'digest']),
  },
];
