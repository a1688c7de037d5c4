import type { Migration } from '../../kernel/plugin-api.ts';

export const subscriptionsMigrations: readonly Migration[] = [
  {
    number: 25,
    name: 'subscriptions',
    async up({ schema, raw }) {
      await schema.createTable('subscriptions_records', (table) => {
        table.text('subscription_id').primary();
        table.text('tenant_id').notNullable();
        table.text('owner_uri').notNullable();
        // Null for one that was made without a key, while the node asked for none.
        table.text('key_id');
        table.text('token_id').notNullable();
        table.text('target').notNullable();
        table.text('target_type').notNullable();
        table.text('target_key').notNullable();
        // The target key while the subscription is active, so that the index by which facts find it holds no others.
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
        // While the circuit is open: when the next probe may go out, by the time of the store.
        table.bigInteger('probe_ms');
        table.index(['tenant_id', 'match_key'], 'subscriptions_records_match');
        table.index(['tenant_id', 'owner_uri', 'created_ms'], 'subscriptions_records_owner');
      });
      await schema.createTable('subscriptions_events', (table) => {
        // Never used again after a removal: cursors and positions are numbers of this column.
        table.bigIncrements('seq');
        table.text('event_id').notNullable().unique();
        table.text('tenant_id').notNullable();
        table.text('subscription_id').notNullable();
        table.text('event_type').notNullable();
        table.text('fact_id');
        // Further facts that must be visible for the event to be: the members that a conflict was seen by.
        table.text('witnesses');
        table.text('hlc');
        table.text('host').notNullable();
        table.bigInteger('created_ms').notNullable();
        table.text('status').notNullable();
        table.integer('attempts').notNullable();
        // When there is something to do, by the time of the store: the next attempt, or the end of a claim; null when
        // all is done.
        table.bigInteger('due_ms');
        table.bigInteger('fence').notNullable();
        table.bigInteger('delivered_ms');
        table.index(['subscription_id', 'seq'], 'subscriptions_events_replay');
      });
      await raw('CREATE INDEX subscriptions_events_due ON subscriptions_events (due_ms, seq) WHERE due_ms IS NOT NULL');
    },
  },
  {
    number: 32,
    name: 'subscriptions_event_places',
    async up({ schema }) {
      await schema.alterTable('subscriptions_events', (table) => {
        // Null for events from before this migration, and for terminal ones.
        table.text('scope');
        table.text('garden_id');
        table.dropIndex([], 'subscriptions_events_replay');
        // Holds all that events are counted by.
        table.index(
          ['subscription_id', 'seq', 'created_ms', 'scope', 'garden_id'],
          'subscriptions_events_replay_by_place',
        );
      });
    },
  },
  {
    number: 39,
    name: 'subscriptions_closed_addresses',
    async up({ schema }) {
      // Null while the address lies open as older versions have stored it: only a running node has the key to close it
      // with.
      await schema.alterTable('subscriptions_records', (table) => {
        table.text('webhook_host');
      });
    },
  },
  {
    number: 53,
    name: 'subscriptions_of_tenants',
    async up({ schema, setPrimaryKey }) {
      await schema.alterTable('subscriptions_events', (table) => {
        table.dropUnique(['event_id']);
        table.unique(['tenant_id', 'event_id'], { indexName: 'subscriptions_events_id' });
        table.dropIndex([], 'subscriptions_events_replay_by_place');
        table.index(
          ['tenant_id', 'subscription_id', 'seq', 'created_ms', 'scope', 'garden_id'],
          'subscriptions_events_replay',
        );
      });
      await setPrimaryKey('subscriptions_records', ['tenant_id', 'subscription_id']);
      await setPrimaryKey('subscriptions_events', ['tenant_id', 'seq']);
    },
  },
  {
    number: 74,
    name: 'subscriptions_former_secrets',
    async up({ schema, raw }) {
      await schema.alterTable('subscriptions_records', (table) => {
        table.text('former_secrets');
        // When the first of them ends.
        table.bigInteger('former_until_ms');
      });
      await raw(
        'CREATE INDEX subscriptions_records_former ON subscriptions_records (former_until_ms) ' +
          'WHERE former_until_ms IS NOT NULL',
      );
    },
  },
];
