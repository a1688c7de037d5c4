import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { loadSqliteDriver, type SqliteDatabase } from '../../../adapters/sqlite/sqlite-driver.ts';
import type { PluginSnapshot, PluginTables } from '../../../kernel/plugin-api.ts';
import { auditMigrations } from '../../../plugins/audit/audit-migrations.ts';
import { rowEntries } from '../../../plugins/audit/entry-rows.ts';
import type { MatchingEntries, StoredFilter } from '../../../plugins/audit/matching-entries.ts';
import { createTemporaryStore, type TemporaryStore } from '../../adapters/sqlite/temporary-store.ts';

const AFTER = { tsMs: 5, id: 'x' };

describe('SQLite looks for audit entries with rows', () => {
  let temporary: TemporaryStore;
  let database: SqliteDatabase;
  before(async () => {
    temporary = await createTemporaryStore();
    await temporary.store.migrate([
      ...CORE_MIGRATIONS,
      ...auditMigrations.map((migration) => ({ ...migration, owner: 'audit' })),
    ]);
    database = loadSqliteDriver().open(temporary.path);
  });
  after(async () => {
    database.close();
    await temporary.stop();
  });

  /** The first step of the plan of the only query that this asks. */
  const stepFor = async (
    filter: Omit<StoredFilter, 'tenantId'>,
    ask: (entries: MatchingEntries) => Promise<unknown>,
  ): Promise<string> => {
    const statements: string[] = [];
    const table = (name: string) =>
      temporary.store.table(name).on('query', ({ sql }: { readonly sql: string }) => statements.push(sql));
    const tables = { in: () => table } as unknown as PluginTables;
    await ask(rowEntries({ tenantId: 'default', ...filter }, {} as PluginSnapshot, tables));
    const [sql = '', ...more] = statements;
    expect(more).to.deep.equal([]);
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`);
    plan.setReturnArrays(true);
    return String((plan.all()[0] as string[])[3]);
  };

  it('of a tenant by their numbers and by their instants', async () => {
    expect(await stepFor({}, (entries) => entries.inOrder(7, 200))).to.include('(tenant_id=? AND seq>?)');
    expect(await stepFor({}, (entries) => entries.newestFirst(AFTER, 50))).to.include('(tenant_id=? AND ts_ms<?)');
    expect(await stepFor({ sinceMs: 1 }, (entries) => entries.count())).to.include('(tenant_id=? AND ts_ms>?)');
  });

  it('of somebody by them', async () => {
    for (const filter of [{ ownedBy: 'agent:a' }, { entityUri: 'agent:a' }]) {
      const step = await stepFor(filter, (entries) => entries.newestFirst(AFTER, 50));
      expect(step).to.include('(tenant_id=? AND entity_uri=? AND ts_ms<?)');
      expect(await stepFor(filter, (entries) => entries.count())).to.include('(tenant_id=? AND entity_uri=?)');
    }
  });

  it('of a fact by it, in either order and for either reader', async () => {
    for (const filter of [{ factId: 'f' }, { factId: 'f', ownedBy: 'agent:a' }]) {
      const byFact = '(tenant_id=? AND fact_id=?';
      expect(await stepFor(filter, (entries) => entries.newestFirst(undefined, 50))).to.include(byFact);
      expect(await stepFor(filter, (entries) => entries.newestFirst(AFTER, 50))).to.include(byFact);
      expect(await stepFor(filter, (entries) => entries.count())).to.include(byFact);
      expect(await stepFor(filter, (entries) => entries.inOrder(0, 1000))).to.include('(tenant_id=? AND seq=?)');
    }
  });
});
