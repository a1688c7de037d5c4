import type { ContentColumns } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';

export const GARDENS = 'gardens_gardens';
export const MEMBERS = 'gardens_members';
export const QUARANTINED = 'gardens_quarantined';

export const gardensMigrations: readonly Migration[] = [
  {
    number: 23,
    name: 'gardens',
    async up({ schema }) {
      await schema.createTable(GARDENS, (table) => {
        table.text('garden_id').notNullable();
        table.text('tenant_id').notNullable();
        table.text('slug').notNullable();
        // The slug while the garden is active, otherwise null, because a unique index permits any number of nulls.
        table.text('active_slug');
        table.text('name').notNullable();
        table.text('scope').notNullable();
        table.text('description');
        table.text('created_by').notNullable();
        table.text('holder_uri').notNullable();
        table.bigInteger('created_ms').notNullable();
        table.integer('quarantine').notNullable();
        table.bigInteger('deleted_ms');
        table.primary(['tenant_id', 'garden_id']);
        table.unique(['tenant_id', 'active_slug'], { indexName: 'gardens_gardens_slug' });
        // Serves the limit on the number of gardens that an entity may create.
        table.index(['tenant_id', 'holder_uri', 'active_slug'], 'gardens_gardens_holder');
      });
      await schema.createTable(MEMBERS, (table) => {
        table.text('garden_id').notNullable();
        table.text('entity_uri').notNullable();
        // Members are found by this key, so that another spelling of an entity is the same member.
        table.text('entity_key').notNullable();
        table.text('tenant_id').notNullable();
        table.text('role').notNullable();
        // 1 if the role may read the facts of this garden. In a quarantine garden only moderators may.
        table.integer('reads').notNullable();
        table.text('added_by').notNullable();
        table.bigInteger('added_ms').notNullable();
        table.primary(['tenant_id', 'garden_id', 'entity_key']);
        table.index(['tenant_id', 'entity_key', 'reads', 'garden_id'], 'gardens_members_readable');
      });
      await schema.createTable(QUARANTINED, (table) => {
        table.text('fact_id').notNullable();
        table.text('tenant_id').notNullable();
        table.text('garden_id').notNullable();
        table.text('status').notNullable();
        table.text('reason').notNullable();
        table.bigInteger('timestamp_ms').notNullable();
        table.text('acted_by');
        table.bigInteger('acted_ms');
        table.text('target_garden_id');
        table.primary(['tenant_id', 'fact_id']);
        table.index(['tenant_id', 'garden_id', 'status', 'timestamp_ms'], 'gardens_quarantined_newest');
      });
    },
  },
];

export const gardensContents: readonly ContentColumns[] = [
  { table: GARDENS, key: ['tenant_id', 'garden_id'], texts: ['name', 'description'] },
  { table: QUARANTINED, key: ['tenant_id', 'fact_id'], texts: ['reason'], owner: { fact: 'fact_id' } },
];
