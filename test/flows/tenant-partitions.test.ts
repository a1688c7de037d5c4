import { expect } from 'chai';
import { createPostgresStore } from '../../adapters/postgres/create-postgres-store.ts';
import type { FactStore } from '../../ports/ports.ts';
import { createTestDatabase, type TestDatabase } from '../kit/postgres-server.ts';
import { type RecordedPlan, recordingDriver, reportPlans } from '../kit/recorded-plans.ts';
import { partitionByTenant, tableOfPartition } from '../kit/tenant-partitions.ts';
import { requestOf, statusOf } from './examples/example-row.ts';
import { EXAMPLE_ROWS } from './examples/example-rows.ts';
import { RAW } from './examples/send-raw.ts';
import { type Stage, startStage } from './examples/stage.ts';

/** Statements that may touch partitions of several tenants, by the reason. `docs/guides/scale.md` has the reasons. */
const EXCEPTIONS: Readonly<Record<string, readonly RegExp[]>> = {
  'a credential, a key id or the id of a peer comes before its tenant is known': [
    /^SELECT \* FROM "keys_api_keys" WHERE "(digest|id)" = \$1$/,
    /^SELECT \* FROM "oauth_grants" WHERE "key_id" = \$1$/,
    /^SELECT \* FROM "federation_peers" WHERE "(peer_id|node_digest)" = \$1$/,
  ],
  'the search index of a process holds the facts of all tenants, and follows their feeds': [
    / FROM ledgers( |$)/,
    / WHERE f\.tenant_id IN \(SELECT tenant_id FROM ledgers\) /,
    /^select .* from "search_vectors" where ("embedder" = \$1 and "seq" > \$2|"seq" in) /,
    /^select distinct "tenant_id", "entity_key" from "tombstones_hidden" /,
  ],
  'a job of the node looks for due work of all tenants': [
    /^select .* from "(jobs_queue|subscriptions_events|tombstones_follows|subscriptions_records)" where .*"\w+_ms" /,
    /^select "status" from "jobs_queue" where "status" in /,
    /^select "seq", "tenant_id", "created_ms" from "subscriptions_events" order by "seq" asc limit /,
    /^select \* from "tombstones_erasures" where "state" in /,
    /^select \* from "upkeep_runs" where "task" = \$1 and "status" = \$2 /,
    /^SELECT \* FROM "federation_peers" WHERE "status" = \$1$/,
    /^update "tombstones_markers" set "followed_number" = /,
  ],
  'a process reads settings of all tenants once, at its start or after a change': [
    /^SELECT \* FROM "relations_versions"$/,
    /^select "garden_id" from "gardens_members" limit \$1$/,
    /^select distinct "tenant_id" from "keys_api_keys"$/,
    /^select \* from "tombstones_markers" where "signed_by" = \$1 and "received_from" is null$/,
    /^select distinct "tenant_id" from "tombstones_erasures"$/,
    /^select \* from "oauth_secrets" where "spent_ms" >= \$1 and "expires_ms" > \$2$/,
    /^select "(token_)?id" from "(keys_api_keys|keys_agent_keys|capability_tokens_issued)" where "revoked_ms" >= \$1$/,
  ],
};

/** The long run sends every example, because each statement is planned anew. */
const IS_LONG = process.env['SVC_TEST_LONG'] !== undefined;
const ROWS = EXAMPLE_ROWS.filter(({ route }) => IS_LONG || / \/v1\/(facts|recall|conflicts|tombstones)/.test(route));

describe('requests on tables that PostgreSQL partitions by tenant', () => {
  let database: TestDatabase;
  let partitioned: readonly string[] = [];
  let stage: Stage | undefined;
  const plans: RecordedPlan[] = [];

  before(async () => {
    database = await createTestDatabase();
    await reportPlans(database.url);
    const driver = recordingDriver((plan) => plans.push(plan));
    const store = createPostgresStore({ url: database.url, driver });
    stage = await startStage(
      afterMigration(store, async () => {
        partitioned = await partitionByTenant(database.url);
      }),
    );
  });
  after(async () => {
    await stage?.stop();
    await database?.drop();
  });

  it('are answered as on whole tables', async () => {
    for (const row of ROWS) {
      const { routes, key } = stage as Stage;
      const route = routes.find(({ method, path }) => `${method} ${path}` === row.route);
      if (route?.example === undefined) throw new Error('the route has no example');
      const overrides = (await row.prepare?.(stage as Stage)) ?? {};
      const request = requestOf(route, route.example, { overrides, key, isStream: row.isStream });
      const { status, text } = await RAW.send(stage as Stage, request);
      expect(status, `${row.route} ${text.slice(0, 500)}`).to.equal(statusOf(route, route.example));
    }
  });

  it('read and write one partition with each statement, but for listed ones', () => {
    expect(partitioned).to.include.members(['facts', 'fact_covers', 'conflicts_wins', 'search_vectors']);
    const touched = new Set(plans.flatMap(({ relations }) => relations.map(tableOfPartition)));
    expect(touched.size, 'tables in the plans').to.be.above(partitioned.length / 3);
    const expected = Object.values(EXCEPTIONS).flat();
    const wide = plans.filter(isWide).map(({ statement }) => statement.replaceAll(/\s+/g, ' '));
    expect([...new Set(wide)].filter((statement) => !expected.some((one) => one.test(statement)))).to.deep.equal([]);
    const unused = expected.filter((one) => !wide.some((statement) => one.test(statement)));
    if (IS_LONG) expect(unused, 'exceptions without a statement').to.deep.equal([]);
  });
});

const isWide = ({ relations }: RecordedPlan): boolean => {
  const partitions = [...new Set(relations)].flatMap((relation) => tableOfPartition(relation) ?? []);
  return new Set(partitions).size < partitions.length;
};

/** Returns the store, which then runs `change` after it has created the tables. */
const afterMigration = (store: FactStore, change: () => Promise<void>): FactStore => {
  const migrate = store.migrate.bind(store);
  return Object.assign(store, {
    migrate: async (...given: Parameters<FactStore['migrate']>) => {
      const done = await migrate(...given);
      await change();
      return done;
    },
  });
};
