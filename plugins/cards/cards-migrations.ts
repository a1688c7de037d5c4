import type { ContentColumns } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';

export const CARDS_TABLE = 'cards_cards';

export const cardsMigrations: readonly Migration[] = [
  {
    number: 22,
    name: 'cards',
    async up({ schema }) {
      await schema.createTable(CARDS_TABLE, (table) => {
        // Digest of the tenant, the entity, the scope and the gardens of the readers.
        table.text('card_key').notNullable();
        table.text('tenant_id').notNullable();
        table.text('body').notNullable();
        table.primary(['tenant_id', 'card_key']);
      });
    },
  },
];

export const cardsContents: readonly ContentColumns[] = [
  { table: CARDS_TABLE, key: ['tenant_id', 'card_key'], texts: ['body'], isDerived: true, owner: { fact: null } },
];
