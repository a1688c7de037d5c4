import type { MigrationSchema } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';
import { MEMBERS, RECORDS } from './conflict-record.ts';
import { PAST_WINS, WINS } from './timeline-rows.ts';
import { WAITING } from './waiting-resolutions.ts';

type Builder = MigrationSchema['schema'];

/**
 * The append lock guarantees one open record per triple and garden. The unique column is a second guard. In all tables,
 * `place` holds the garden, or an empty text outside gardens.
 */
export const conflictsMigrations: readonly Migration[] = [
  {
    number: 15,
    name: 'conflicts',
    async up({ schema }) {
      await createRecords(schema);
      await createWinners(schema);
      await createPastWinners(schema);
    },
  },
];

const createRecords = async (schema: Builder): Promise<void> => {
  await schema.createTable(RECORDS, (table) => {
    table.text('conflict_id').notNullable();
    table.text('tenant_id').notNullable();
    table.text('entity_key').notNullable();
    table.text('relation_key').notNullable();
    table.text('scope').notNullable();
    table.text('place').notNullable();
    table.text('status').notNullable();
    table.bigInteger('detected_ms').notNullable();
    table.text('resolved_by');
    // The digest of triple and garden while the record is open, then null: a unique index permits any number of nulls.
    table.text('open_triple');
    table.primary(['tenant_id', 'conflict_id']);
    table.unique(['tenant_id', 'open_triple'], { indexName: 'conflicts_records_open' });
    table.index(['tenant_id', 'detected_ms', 'conflict_id'], 'conflicts_records_newest');
    table.index(['tenant_id', 'status', 'detected_ms', 'conflict_id'], 'conflicts_records_by_status');
    // For tombstones and erasures of one entity.
    table.index(['tenant_id', 'entity_key', 'conflict_id'], 'conflicts_records_by_entity');
  });
  await schema.createTable(MEMBERS, (table) => {
    table.text('conflict_id').notNullable();
    table.text('fact_id').notNullable();
    table.double('confidence').notNullable();
    table.bigInteger('hlc_wall').notNullable();
    table.integer('hlc_ctr').notNullable();
    table.text('tenant_id').notNullable();
    table.primary(['tenant_id', 'conflict_id', 'fact_id']);
    table.index(['tenant_id', 'conflict_id', 'hlc_wall', 'hlc_ctr'], 'conflicts_members_newest');
    table.index(['tenant_id', 'conflict_id', 'confidence', 'hlc_wall', 'hlc_ctr'], 'conflicts_members_strongest');
  });
  await schema.createTable(WAITING, (table) => {
    table.text('tenant_id').notNullable();
    // The digest of triple and garden.
    table.text('triple').notNullable();
    table.text('fact_id').notNullable();
    // The only speaker whose facts the resolution supersedes; an empty text if it supersedes the facts of all speakers.
    table.text('speaker').notNullable();
    table.primary(['tenant_id', 'triple', 'fact_id']);
  });
};

const createWinners = async (schema: Builder): Promise<void> => {
  await schema.createTable(WINS, (table) => {
    // The digest of triple and garden.
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
    // The remaining columns describe the whole timeline, and are equal in each row of a triple.
    table.bigInteger('known_until_ms').notNullable();
    table.bigInteger('begun_ms').notNullable();
    table.text('lasting_id').notNullable();
    table.text('lasting_value_key').notNullable();
    table.bigInteger('lasting_until_ms').notNullable();
    table.text('contesting_id').notNullable();
    table.text('contesting_value_key').notNullable();
    table.bigInteger('contesting_until_ms').notNullable();
    table.bigInteger('since_wall').notNullable();
    table.integer('since_ctr').notNullable();
    table.index(['tenant_id', 'triple'], 'conflicts_wins_digest');
    table.index(['tenant_id', 'entity_key', 'relation_key', 'scope', 'place'], 'conflicts_wins_place');
  });
};

const createPastWinners = async (schema: Builder): Promise<void> => {
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
      'conflicts_past_wins_place',
    );
    table.index(['tenant_id', 'triple'], 'conflicts_past_wins_digest');
    table.index(['tenant_id', 'until_wall', 'until_ctr'], 'conflicts_past_wins_end');
  });
};
