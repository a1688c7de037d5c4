import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../adapters/sql/core-migrations.ts';
import { PLUGIN_CATALOG } from '../../config/plugin-catalog.ts';
import { planMigrations } from '../../kernel/plugins/plan-migrations.ts';
import type { FactStore, OwnedMigration, Row } from '../../ports/ports.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { readCatalogue } from '../kit/store-catalogue.ts';
import { placeTestStore, type TestStore } from '../kit/test-store.ts';

/** The first migration that puts the tenant in front of a key. */
const FIRST = 46;

/** Migrations that have since given these tables more columns. */
const LATER: ReadonlySet<number> = new Set([66, 73, 74]);

const TENANTS = ['default', 'acme'];

/** A row of each table that comes by another key, without the members that a row of every table has. */
const SAMPLES: Readonly<Record<string, (n: number) => Row>> = {
  keys_api_keys: (n) => ({
    id: `key-${n}`,
    digest: `digest-${n}`,
    entity_uri: 'user:a',
    permissions: 'read',
    allowed_scopes: 'public',
    created_ms: n,
  }),
  keys_agent_keys: (n) => ({ id: `key-${n}`, entity_uri: 'user:a', public_key: 'k', registered_ms: n }),
  gardens_gardens: (n) => ({
    garden_id: `garden-${n}`,
    slug: `slug-${n}`,
    active_slug: `slug-${n}`,
    name: 'A',
    scope: 'public',
    created_by: 'user:a',
    created_ms: n,
    quarantine: 0,
  }),
  gardens_members: (n) => ({
    garden_id: `garden-${n}`,
    entity_uri: 'user:a',
    role: 'admin',
    reads: 1,
    added_by: 'user:a',
    added_ms: n,
  }),
  gardens_quarantined: (n) => ({
    fact_id: `fact-${n}`,
    garden_id: `garden-${n}`,
    status: 'pending',
    reason: 'asserted',
    timestamp_ms: n,
  }),
  conflicts_records: (n) => ({
    conflict_id: `conflict-${n}`,
    entity_key: 'user:a',
    relation_key: 'r',
    scope: 'public',
    place: '',
    status: 'unresolved',
    detected_ms: n,
    open_triple: `digest-${n}`,
  }),
  cards_cards: (n) => ({ card_key: `card-${n}`, body: '{}' }),
  jobs_queue: (n) => ({
    job_id: `job-${n}`,
    job_type: 'a:b',
    status: 'pending',
    due_ms: n,
    fence: 0,
    attempts: 0,
    creator: 'user:a',
    payload: '{}',
    estimated_s: 0,
    created_ms: n,
    dedupe: `digest-${n}`,
  }),
  instructions_tokens: (n) => ({
    digest: `digest-${n}`,
    entity_uri: 'user:a',
    fact_id: `fact-${n}`,
    chunks: '[]',
    issued_ms: n,
    is_used: 0,
  }),
  recall_access: (n) => ({ fact_id: `fact-${n}`, count: n }),
  subscriptions_records: (n) => ({
    subscription_id: `subscription-${n}`,
    owner_uri: 'user:a',
    token_id: 'token',
    target: 'user:a',
    target_type: 'entity',
    target_key: 'entity user:a',
    webhook_url: 'sealed',
    content_digest: 'digest',
    secret: 'sealed',
    status: 'active',
    created_ms: n,
    failures: 0,
  }),
  subscriptions_events: (n) => ({
    event_id: `event-${n}`,
    subscription_id: `subscription-${n}`,
    event_type: 'fact_asserted',
    host: 'hook.example',
    created_ms: n,
    status: 'pending',
    attempts: 0,
    due_ms: 0,
    fence: 0,
  }),
  capability_tokens_issued: (n) => ({
    token_id: `token-${n}`,
    issuer: 'user:a',
    issuer_digest: 'digest',
    subject: 'user:b',
    subject_digest: 'digest',
    verb: 'write',
    object: 'scope:public',
    digest: 'digest',
    issued_ms: n,
    expires_ms: n,
  }),
  search_vectors: (n) => ({ fact_id: `fact-${n}`, embedder: 'e', scale: n, code: new Uint8Array([n]) }),
};

/** Members of conflicts had no tenant of their own. */
const membersAsBefore: OwnedMigration = {
  number: 999_999,
  name: 'as_before',
  owner: 'test',
  up: ({ raw }) => raw('ALTER TABLE conflicts_members DROP COLUMN tenant_id'),
};

forEachStore('Keys without a tenant', (kind) => {
  let folder: string;
  let all: OwnedMigration[];
  const places: TestStore[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenant-keys-'));
    const plugins = await Promise.all(Object.values(PLUGIN_CATALOG).map((load) => load()));
    all = planMigrations(CORE_MIGRATIONS, plugins, []);
  });
  afterEach(async () => {
    for (const place of places.splice(0)) await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const openIn = async (name: string): Promise<{ readonly place: TestStore; readonly store: FactStore }> => {
    const own = join(folder, name);
    await mkdir(own);
    const place = await placeTestStore(kind, own);
    places.push(place);
    return { place, store: place.open() };
  };
  const openOld = async (name: string) => {
    const opened = await openIn(name);
    const isOld = ({ owner, number }: OwnedMigration) => number < FIRST || !REKEYED.has(owner);
    await opened.store.migrate([...all.filter(isOld), membersAsBefore]);
    return opened;
  };

  it('become keys that begin with it, and all rows stay', async () => {
    const { store } = await openOld('old');
    const told = new Map<string, unknown>();
    try {
      await store.write('default', async (transaction) => {
        for (const [table, sample] of Object.entries(SAMPLES)) {
          const rows = [1, 2, 3].map((n) => ({ tenant_id: TENANTS[n % 2] as string, ...sample(n) }));
          await transaction.insertRows(table, rows);
        }
        const member = { confidence: 1, hlc_wall: 1, hlc_ctr: 0 };
        const rows = [1, 2, 3].map((n) => ({ ...member, conflict_id: `conflict-${n}`, fact_id: 'fact' }));
        await transaction.insertRows('conflicts_members', rows);
      });
      for (const table of Object.keys(SAMPLES)) told.set(table, await rowsOf(store, table));
      await store.migrate([...all.filter(({ number }) => !LATER.has(number)), membersAsBefore]);
      for (const [table, rows] of told) expect(await rowsOf(store, table), table).to.deep.equal(rows);
      const members = await store.table('conflicts_members').orderBy('conflict_id').select('conflict_id', 'tenant_id');
      expect(members).to.deep.equal([
        { conflict_id: 'conflict-1', tenant_id: 'acme' },
        { conflict_id: 'conflict-2', tenant_id: 'default' },
        { conflict_id: 'conflict-3', tenant_id: 'acme' },
      ]);
      expect(await store.table('keys_digests').orderBy('digest').pluck('digest')).to.deep.equal([
        'digest-1',
        'digest-2',
        'digest-3',
      ]);
    } finally {
      await store.close();
    }
  });

  it('are gone: another tenant may take them, and numbers of rows go on', async () => {
    const { store } = await openOld('old');
    try {
      await store.write('default', (transaction) =>
        transaction.insertRows('search_vectors', [{ tenant_id: 'default', ...SAMPLES['search_vectors']?.(1) }]),
      );
      await store.migrate([...all, membersAsBefore]);
      for (const [table, sample] of Object.entries(SAMPLES)) {
        for (const tenant of TENANTS) {
          await store.write(tenant, (transaction) =>
            transaction.insertRows(table, [{ tenant_id: tenant, ...sample(1) }]),
          );
        }
      }
      expect((await store.table('search_vectors').orderBy('seq').pluck('seq')).map(Number)).to.deep.equal([1, 2, 3]);
    } finally {
      await store.close();
    }
  });

  it('leave the same tables as a new store has', async () => {
    const old = await openOld('old');
    await old.store.migrate([...all, membersAsBefore]);
    await old.store.close();
    const fresh = await openIn('new');
    await fresh.store.migrate(all);
    await fresh.store.close();
    expect(await readCatalogue(old.place)).to.deep.equal(await readCatalogue(fresh.place));
  });
});

/** Who brings the migrations. */
const REKEYED: ReadonlySet<string> = new Set([
  'keys',
  'gardens',
  'conflicts',
  'cards',
  'jobs',
  'instructions',
  'recall',
  'subscriptions',
  'capability-tokens',
  'search',
]);

/** In an order that no key decides. */
const rowsOf = async (store: FactStore, table: string): Promise<string[]> => {
  const rows: Row[] = await store.table(table);
  return rows.map((row) => JSON.stringify(row)).sort();
};
