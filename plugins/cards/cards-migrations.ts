import type { Migration } from '../../kernel/plugin-api.ts';

export const CARDS_TABLE = 'cards_cards';

export const cardsMigrations: readonly Migration[] = [
  {
    number: 22,
    name: 'memory_cards',
    async up({ schema }) {
      await schema.createTable(CARDS_TABLE, (table) => {
        // Digest of tenant, entity, scope and the gardens of those for whom the card was made.
        table.text('card_key').primary();
        table.text('tenant_id').notNullable();
        table.text('body').notNullable();
      });
    },
  },
  {
    number: 49,
    name: 'cards_of_tenants',
    up: ({ setPrimaryKey }) => setPrimaryKey(CARDS_TABLE, ['tenant_id', 'card_key']),
  },
];
