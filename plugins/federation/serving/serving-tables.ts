import type { ContentColumns, MigrationSchema } from '../../../kernel/internal-api.ts';

/** The table of nonces of used peer tokens. */
export const NONCES_TABLE = 'federation_nonces';
/** The table of origin proofs, made here or received. */
export const PROOFS_TABLE = 'federation_proofs';
/** The table of cursors with which each peer last read. */
export const SERVED_TABLE = 'federation_served';

export const createServingTables = async ({ schema, dialect }: MigrationSchema): Promise<void> => {
  await schema.createTable(NONCES_TABLE, (table) => {
    table.text('tenant_id').notNullable();
    // The digest of nonce and issuer, which together are too long for an index.
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
    // True if a known key of the origin verified the signature on arrival.
    table.smallint('is_verified').notNullable();
    // The commitment that replaces the salt of an erased value.
    table.text('value_commitment');
    table.text('refs_commitment');
    table.primary(['tenant_id', 'fact_id']);
    // A node finds the proofs by its earlier keys, to sign the facts again.
    table.index(['key_id', 'tenant_id', 'fact_id'], 'federation_proofs_by_key');
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

/** With its salt, a commitment lets anybody guess a value. So does a signature over the commitment. */
export const servingContents: readonly ContentColumns[] = [
  {
    table: PROOFS_TABLE,
    key: ['tenant_id', 'fact_id'],
    texts: ['salt', 'refs_salt', 'signature'],
    owner: { fact: 'fact_id' },
  },
];
