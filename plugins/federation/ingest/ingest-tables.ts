import { addPeriod, type ContentColumns, type MigrationSchema } from '../../../kernel/internal-api.ts';
import type { SealedColumns } from '../../../kernel/plugin-api.ts';

export const PULLS = 'federation_pulls';
export const PARKED = 'federation_parked';

export const SEALED_PARKED = {
  table: PARKED,
  key: ['tenant_id', 'peer_id', 'scope', 'digest'],
  columns: ['fact'],
} as const satisfies SealedColumns;

export const USAGE = 'federation_usage';
/** The table of unproven facts that a proven fact with the same id at its origin has refuted. */
export const COPIES = 'federation_copies';

export const createIngestTables = async ({ schema, dialect }: MigrationSchema): Promise<void> => {
  await schema.createTable(COPIES, (table) => {
    table.text('tenant_id').notNullable();
    table.specificType('fact_id', dialect.textType).notNullable();
    table.text('proven_id').notNullable();
    table.primary(['tenant_id', 'fact_id']);
  });
  await schema.createTable(PULLS, (table) => {
    table.text('tenant_id').notNullable();
    table.text('peer_id').notNullable();
    table.text('scope').notNullable();
    table.text('cursor');
    table.text('epoch');
    // The epoch of this store in which the pull began. In another one it restarts, because the store may lack facts.
    table.text('store_epoch').notNullable();
    // 1 until the pull has read the whole feed in that epoch.
    table.integer('wants_own').notNullable();
    // The version of the grant under which the cursor was written. Under another version the pull restarts.
    table.integer('grant_version').notNullable();
    table.bigInteger('due_ms').notNullable();
    table.bigInteger('lease_until_ms').notNullable();
    table.bigInteger('fence').notNullable();
    table.integer('failures').notNullable();
    table.bigInteger('last_ok_ms');
    table.bigInteger('last_failure_ms');
    table.text('last_error');
    // The instant at which this node last had all facts of the peer.
    table.bigInteger('caught_up_ms');
    // The number of facts still to come, as the peer reported; null if it reported none.
    table.bigInteger('remaining');
    table.primary(['tenant_id', 'peer_id', 'scope']);
    table.index(['due_ms'], 'federation_pulls_due');
  });
  await schema.createTable(PARKED, (table) => {
    table.text('tenant_id').notNullable();
    table.text('peer_id').notNullable();
    table.text('scope').notNullable();
    // The digest of the fact as sent. Another content under the same id is another fact, and must not replace this one.
    table.text('digest').notNullable();
    table.text('reason').notNullable();
    table.bigInteger('due_ms').notNullable();
    table.integer('attempts').notNullable();
    table.bigInteger('parked_ms').notNullable();
    table.integer('bytes').notNullable();
    // The fact as the peer sent it.
    table.text('fact').notNullable();
    addPeriod(table);
    table.primary(['tenant_id', 'peer_id', 'scope', 'digest']);
    table.index(['tenant_id', 'peer_id', 'scope', 'due_ms'], 'federation_parked_due');
  });
  await schema.createTable(USAGE, (table) => {
    table.text('tenant_id').notNullable();
    table.text('peer_id').notNullable();
    table.integer('day').notNullable();
    table.bigInteger('added').notNullable();
    table.bigInteger('window_ms').notNullable();
    table.bigInteger('brought').notNullable();
    table.bigInteger('invalid').notNullable();
    table.integer('strikes').notNullable();
    table.bigInteger('quarantined_until_ms').notNullable();
    table.primary(['tenant_id', 'peer_id']);
  });
};

export const ingestContents: readonly ContentColumns[] = [
  { table: PULLS, key: ['tenant_id', 'peer_id', 'scope'], texts: ['last_error'] },
  { table: PARKED, key: ['tenant_id', 'peer_id', 'scope', 'digest'], expiring: ['fact'] },
];
