import { addPeriod, type ContentColumns, type MigrationSchema } from '../../../kernel/internal-api.ts';

export const PEERS_TABLE = 'federation_peers';
export const EVENTS_TABLE = 'federation_events';

/** Instants are in milliseconds. Declarations are stored as received, because their signatures cover that form. */
export const createPeeringTables = async ({ schema }: MigrationSchema): Promise<void> => {
  await schema.createTable(PEERS_TABLE, (table) => {
    table.text('tenant_id').notNullable();
    table.text('peer_id').notNullable();
    table.text('node_id').notNullable();
    table.text('node_digest').notNullable();
    table.text('node_url');
    table.text('status').notNullable();
    table.text('theirs');
    table.bigInteger('theirs_signed_ms');
    table.text('ours');
    table.bigInteger('ours_signed_ms');
    table.text('waiting');
    table.bigInteger('waiting_since_ms');
    table.text('public_keys').notNullable();
    table.integer('takes_any_key').notNullable();
    table.integer('grant_version').notNullable();
    table.bigInteger('verified_ms');
    table.bigInteger('established_ms');
    table.bigInteger('checked_ms');
    table.bigInteger('created_ms').notNullable();
    table.text('unicode_version');
    // The digest over the columns that decide about rights.
    table.text('seal').notNullable();
    table.primary(['tenant_id', 'peer_id'], 'federation_peers_key');
    // A token names a node whose tenant is not known yet, and workers read the peers of all tenants.
    table.index(['node_digest'], 'federation_peers_node');
    table.index(['peer_id'], 'federation_peers_by_id');
    table.index(['status'], 'federation_peers_status');
  });
  await schema.createTable(EVENTS_TABLE, (table) => {
    table.text('tenant_id').notNullable();
    table.text('id').notNullable();
    table.text('peer_id');
    table.text('event_type').notNullable();
    table.text('detail');
    table.bigInteger('ts_ms').notNullable();
    addPeriod(table);
    table.primary(['tenant_id', 'id'], 'federation_events_key');
    table.index(['tenant_id', 'ts_ms', 'id'], 'federation_events_time');
    table.index(['tenant_id', 'peer_id', 'ts_ms', 'id'], 'federation_events_peer');
    // Old events of all tenants are deleted.
    table.index(['ts_ms'], 'federation_events_age');
  });
};

export const peeringContents: readonly ContentColumns[] = [
  { table: EVENTS_TABLE, key: ['tenant_id', 'id'], expiring: ['detail'] },
];
