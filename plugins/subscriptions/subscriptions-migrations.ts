import type { ContentColumns, MigrationSchema } from '../../kernel/internal-api.ts';
import type { Migration } from '../../kernel/plugin-api.ts';

export const subscriptionsMigrations: readonly Migration[] = [
  {
    number: 25,
    name: 'subscriptions',
    async up(migration) {
      await createRecords(migration);
      await createEvents(migration);
    },
  },
];

const createRecords = async ({ schema, raw }: MigrationSchema): Promise<void> => {
  await schema.createTable('subscriptions_records', (table) => {
    table.text('subscription_id').notNullable();
    table.text('tenant_id').notNullable();
    table.text('owner_uri').notNullable();
    table.text('holder_uri').notNullable();
    // Null for a subscription made without a key, on a node without authentication.
    table.text('key_id');
    table.text('token_id').notNullable();
    table.text('target').notNullable();
    table.text('target_type').notNullable();
    table.text('target_key').notNullable();
    // The target key while the subscription is active, so that the index used for matching contains no ended ones.
    table.text('match_key');
    table.text('event_types');
    table.text('webhook_url').notNullable();
    table.text('idempotency_key');
    table.text('content_digest').notNullable();
    table.text('secret').notNullable();
    table.text('status').notNullable();
    table.text('cancelled_reason');
    table.bigInteger('created_ms').notNullable();
    table.bigInteger('last_delivered_ms');
    table.integer('failures').notNullable();
    // The instant of the next test delivery, by the store's clock, while the circuit breaker is open.
    table.bigInteger('probe_ms');
    table.text('webhook_host').notNullable();
    table.text('former_secrets');
    // The earliest end of the overlap of former secrets.
    table.bigInteger('former_until_ms');
    table.primary(['tenant_id', 'subscription_id']);
    table.index(['tenant_id', 'match_key'], 'subscriptions_records_match');
    table.index(['tenant_id', 'owner_uri', 'created_ms'], 'subscriptions_records_owner');
    // Serves the limits on the number of subscriptions.
    table.index(['tenant_id', 'holder_uri', 'match_key'], 'subscriptions_records_holder');
  });
  await raw(
    'CREATE INDEX subscriptions_records_former ON subscriptions_records (former_until_ms) ' +
      'WHERE former_until_ms IS NOT NULL',
  );
};

const createEvents = async ({ schema, dialect, raw }: MigrationSchema): Promise<void> => {
  await schema.createTable('subscriptions_events', (table) => {
    // Cursors and positions contain numbers of this column.
    dialect.numberRows(table, 'seq');
    table.text('event_id').notNullable();
    table.text('tenant_id').notNullable();
    table.text('subscription_id').notNullable();
    table.text('event_type').notNullable();
    table.text('fact_id');
    // Other facts that must be visible to show the event: those that contradict each other.
    table.text('witnesses');
    table.text('hlc');
    table.text('host').notNullable();
    table.bigInteger('created_ms').notNullable();
    table.text('status').notNullable();
    table.integer('attempts').notNullable();
    // The instant of the next attempt or the end of a claim, by the store's clock; null for a finished event.
    table.bigInteger('due_ms');
    table.bigInteger('fence').notNullable();
    table.bigInteger('delivered_ms');
    // The scope of the fact; null for terminal events.
    table.text('scope');
    table.text('garden_id');
    table.unique(['tenant_id', 'event_id'], { indexName: 'subscriptions_events_id' });
    // Lets the index alone answer the count of events.
    table.index(
      ['tenant_id', 'subscription_id', 'seq', 'created_ms', 'scope', 'garden_id'],
      'subscriptions_events_replay',
    );
  });
  await raw('CREATE INDEX subscriptions_events_due ON subscriptions_events (due_ms, seq) WHERE due_ms IS NOT NULL');
};

/** Addresses and secrets are sealed by the private key of the node besides, also without a key of the operator. */
export const subscriptionsContents: readonly ContentColumns[] = [
  {
    table: 'subscriptions_records',
    key: ['tenant_id', 'subscription_id'],
    texts: ['webhook_url', 'webhook_host', 'secret', 'former_secrets'],
    hidden: ['idempotency_key'],
  },
  { table: 'subscriptions_events', key: ['tenant_id', 'event_id'], hidden: ['host'] },
];
