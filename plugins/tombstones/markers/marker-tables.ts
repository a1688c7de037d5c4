import type { ContentColumns, MigrationSchema } from '../../../kernel/internal-api.ts';
import type { SealedColumns } from '../../../kernel/plugin-api.ts';

export const MARKERS = 'tombstones_markers';
export const REVOCATIONS = 'tombstones_revocations';
export const HIDDEN = 'tombstones_hidden';
export const HIDDEN_SYSTEM_FACTS = 'tombstones_hidden_system';
export const FOLLOWS = 'tombstones_follows';
export const PARKED = 'tombstones_parked';
export const SEALED_PARKED: SealedColumns<'document'> = {
  table: PARKED,
  key: ['tenant_id', 'tombstone_id', 'issuer', 'received_from'],
  columns: ['document'],
};

export const createMarkerTables = async ({ schema }: MigrationSchema): Promise<void> => {
  await schema.createTable(MARKERS, (table) => {
    table.text('tenant_id').notNullable();
    table.text('tombstone_id').notNullable();
    // The id that the issuer has signed, if another tombstone already had that id here.
    table.text('origin_id');
    table.text('entity_uri').notNullable();
    table.text('entity_key').notNullable();
    table.text('scope').notNullable();
    table.text('reason');
    table.integer('legal_hold').notNullable();
    table.integer('erase').notNullable();
    table.text('signed_by').notNullable();
    table.text('key_id').notNullable();
    table.text('signature').notNullable();
    table.text('created_at').notNullable();
    table.bigInteger('created_ms').notNullable();
    table.bigInteger('revoked_ms');
    table.bigInteger('erased_ms');
    table.text('received_from');
    // The feed stamp of the last change.
    table.bigInteger('feed_wall');
    table.integer('feed_ctr');
    // The ledger number of the last processed fact, in the order of triples; 0 at the beginning, null at the end.
    // Negative for the system facts about conflicts, which come first.
    table.bigInteger('followed_number');
    table.primary(['tenant_id', 'tombstone_id']);
    table.index(['tenant_id', 'entity_key'], 'tombstones_markers_entity');
    table.index(['tenant_id', 'origin_id'], 'tombstones_markers_origin');
    table.index(['tenant_id', 'created_ms', 'tombstone_id'], 'tombstones_markers_newest');
    table.index(['tenant_id', 'feed_wall', 'feed_ctr'], 'tombstones_markers_feed');
    table.index(['key_id'], 'tombstones_markers_key');
  });
  await schema.createTable(REVOCATIONS, (table) => {
    table.text('tenant_id').notNullable();
    table.text('tombstone_id').notNullable();
    table.text('revocation_id').notNullable();
    table.text('reason').notNullable();
    table.text('signed_by').notNullable();
    table.text('key_id').notNullable();
    table.text('signature').notNullable();
    table.text('created_at').notNullable();
    table.primary(['tenant_id', 'tombstone_id']);
    table.index(['key_id'], 'tombstones_revocations_key');
  });
  await schema.createTable(FOLLOWS, (table) => {
    table.text('tenant_id').notNullable();
    table.text('peer_id').notNullable();
    // Stored unencrypted: this capability token works only together with a peer token, which only this node can sign.
    table.text('capability').notNullable();
    table.text('cursor');
    table.text('epoch');
    table.bigInteger('due_ms').notNullable();
    table.integer('failures').notNullable();
    table.text('last_error');
    table.primary(['tenant_id', 'peer_id']);
  });
  await schema.createTable(PARKED, (table) => {
    table.text('tenant_id').notNullable();
    table.text('tombstone_id').notNullable();
    table.text('issuer').notNullable();
    table.text('received_from').notNullable();
    // The id of the signing key, which is not known yet.
    table.text('key_id').notNullable();
    table.text('document').notNullable();
    // Includes the sender, because the signature is not verified yet and a forgery must replace no other document.
    table.primary(['tenant_id', 'tombstone_id', 'issuer', 'received_from']);
    table.index(['tenant_id', 'issuer'], 'tombstones_parked_issuer');
  });
};

export const createHiddenTables = async ({ schema }: MigrationSchema): Promise<void> => {
  await schema.createTable(HIDDEN, (table) => {
    table.text('tenant_id').notNullable();
    table.text('entity_key').notNullable();
    // One row for each scope, so that each read looks up one row only.
    table.text('scope').notNullable();
    table.text('tombstone_id').notNullable();
    // 1 under a legal hold: keys with permission admin still see the facts.
    table.integer('held').notNullable();
    // The only node whose facts are hidden; an empty text to hide the facts of all nodes.
    table.text('origin_node_id').notNullable();
    table.primary(['tenant_id', 'entity_key', 'scope', 'tombstone_id']);
    table.index(['tenant_id', 'tombstone_id'], 'tombstones_hidden_marker');
  });
  // Rows use the node's own ids: a key derived from the id of a received fact could equal the entity of another fact.
  await schema.createTable(HIDDEN_SYSTEM_FACTS, (table) => {
    table.text('tenant_id').notNullable();
    table.text('fact_id').notNullable();
    table.text('tombstone_id').notNullable();
    table.integer('held').notNullable();
    table.primary(['tenant_id', 'fact_id', 'tombstone_id']);
    table.index(['tenant_id', 'tombstone_id'], 'tombstones_hidden_system_marker');
  });
};

/** A signature lets anybody guess the reason that it covers. */
export const markerContents: readonly ContentColumns[] = [
  { table: MARKERS, key: ['tenant_id', 'tombstone_id'], texts: ['reason', 'signature'] },
  { table: REVOCATIONS, key: ['tenant_id', 'tombstone_id'], texts: ['reason', 'signature'] },
  { table: FOLLOWS, key: ['tenant_id', 'peer_id'], texts: ['capability', 'last_error'] },
  { table: PARKED, key: ['tenant_id', 'tombstone_id', 'issuer', 'received_from'], texts: ['document'] },
];
