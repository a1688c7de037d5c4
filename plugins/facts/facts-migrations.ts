import { addPeriod, type ContentColumns } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';

/** The table of recorded answers, which repeated requests with the same Idempotency-Key get. */
export const IDEMPOTENCY_TABLE = 'facts_idempotency';

/** The table of scopes that each session has read, for the session guard. */
export const SESSION_READS_TABLE = 'facts_session_reads';

export const factsMigrations: readonly Migration[] = [
  {
    number: 13,
    name: 'facts',
    async up({ schema }) {
      await schema.createTable(IDEMPOTENCY_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.text('entity_uri').notNullable();
        table.text('idempotency_key').notNullable();
        table.text('request_hash').notNullable();
        table.integer('status').notNullable();
        // The exact text of the answer, because a replay must match it byte for byte.
        table.text('body').notNullable();
        table.bigInteger('created_ms').notNullable().index();
        addPeriod(table);
        table.primary(['tenant_id', 'entity_uri', 'idempotency_key']);
      });
      await schema.createTable(SESSION_READS_TABLE, (table) => {
        table.text('tenant_id').notNullable();
        table.text('entity_uri').notNullable();
        table.text('session_id').notNullable();
        table.text('scope').notNullable();
        table.bigInteger('read_ms').notNullable().index();
        table.primary(['tenant_id', 'entity_uri', 'session_id', 'scope']);
      });
    },
  },
];

/** The digest of a request lets anybody guess a short value. */
export const factsContents: readonly ContentColumns[] = [
  {
    table: IDEMPOTENCY_TABLE,
    key: ['tenant_id', 'entity_uri', 'idempotency_key'],
    expiring: ['request_hash', 'body'],
    hidden: ['idempotency_key'],
  },
  { table: SESSION_READS_TABLE, key: ['tenant_id', 'entity_uri', 'session_id', 'scope'], hidden: ['session_id'] },
];
