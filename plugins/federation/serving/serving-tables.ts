import type { MigrationSchema } from '../../../kernel/internal-api.ts';

/** Nonces of peer tokens that were used. */
export const NONCES_TABLE = 'federation_nonces';
/** Proofs of origin, made here or received. */
export const PROOFS_TABLE = 'federation_proofs';
/** The cursor with which each peer last read. */
export const SERVED_TABLE = 'federation_served';

export const createServingTables = async ({ schema, dialect }: MigrationSchema): Promise<void> => {
  await schema.createTable(NONCES_TABLE, (table) => {
    table.text('tenant_id').notNullable();
    // Nonce and issuer together are too long for an index.
    table.text('digest').notNullable();
    table.bigInteger('expires_ms').notNullable().index();
    table.primary(['tenant_id', 'digest']);
  });
  await schema.createTable(PROOFS_TABLE, (table) => {
    table.text('tenant_id').notNullable();
    table.specificType('fact_id', dialect.textType).notNullable();
    table.text('key_id').notNullable();
    table.text('salt');
    table.text('refs_salt');
    table.text('signature').notNullable();
    // True if the signature verified with a known key of the origin on arrival.
    table.smallint('is_verified').notNullable();
    // Replaces the salts of an erased fact.
    table.text('value_commitment');
    table.text('refs_commitment');
    table.primary(['tenant_id', 'fact_id']);
  });
  await schema.createTable(SERVED_TABLE, (table) => {
    table.text('tenant_id').notNullable();
    table.text('peer_id').notNullable();
    table.text('scope').notNullable();
    table.bigInteger('feed_wall').notNullable();
    table.integer('feed_ctr').notNullable();
    table.bigInteger('asked_ms').notNullable();
    table.primary(['tenant_id', 'peer_id', 'scope']);
  });
};
