import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { FactStatements } from '../../../adapters/sql/fact-statements.ts';
import { sqliteDialect } from '../../../adapters/sqlite/sqlite-dialect.ts';
import { loadSqliteDriver, type SqliteDatabase } from '../../../adapters/sqlite/sqlite-driver.ts';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import type { LedgerRange } from '../../../kernel/internal-api.ts';
import type { PluginSnapshot, PluginTables } from '../../../kernel/plugin-api.ts';
import { planMigrations } from '../../../kernel/plugins/plan-migrations.ts';
import { auditPlugin } from '../../../plugins/audit/audit-plugin.ts';
import { rowEntries } from '../../../plugins/audit/entry-rows.ts';
import { factEntries } from '../../../plugins/audit/fact-entries.ts';
import type { MatchingEntries, StoredFilter } from '../../../plugins/audit/matching-entries.ts';
import type { LedgerQuery } from '../../../ports/ports.ts';
import { createTemporaryStore, type TemporaryStore } from '../../adapters/sqlite/temporary-store.ts';

const AFTER = { tsMs: 5, id: 'x' };

describe('the query plan of SQLite for audit entries', () => {
  let temporary: TemporaryStore;
  let database: SqliteDatabase;
  before(async () => {
    temporary = await createTemporaryStore();
    await temporary.store.migrate(planMigrations(CORE_MIGRATIONS, [auditPlugin], []));
    database = loadSqliteDriver().open(temporary.path);
  });
  after(async () => {
    database.close();
    await temporary.stop();
  });

  /** Returns the first step of the query plan. */
  const firstStep = (sql: string): string => {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`);
    plan.setReturnArrays(true);
    return String((plan.all()[0] as string[])[3]);
  };

  /** Returns the first step of the only query on audit rows that `ask` sends. */
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
    return firstStep(sql);
  };

  /** Returns the first step of each query on facts that `ask` sends. */
  const stepsForFacts = async (
    filter: Omit<StoredFilter, 'tenantId'>,
    ask: (entries: MatchingEntries) => Promise<unknown>,
  ): Promise<string> => {
    const statements = new FactStatements(sqliteDialect);
    const steps: string[] = [];
    const note = <T>(sql: string, result: T): Promise<T> => {
      steps.push(firstStep(sql));
      return Promise.resolve(result);
    };
    const snapshot = {
      ledger: (query: LedgerQuery) => note(statements.ledger(query).sql, []),
      ledgerCount: (range: LedgerRange) => note(statements.ledgerCount(range).sql, 0),
      ledgerNumberAt: async () => 7,
    } as unknown as PluginSnapshot;
    await ask(await factEntries({ tenantId: 'default', ...filter }, snapshot, createServiceNames('svc')));
    return steps.join('; ');
  };

  it('finds entries of all facts by their numbers', async () => {
    const bounds = '(tenant_id=? AND number>? AND number<?)';
    for (const filter of [{}, { sinceMs: 1 }]) {
      expect(await stepsForFacts(filter, (entries) => entries.inOrder(7, 200))).to.include(
        '(tenant_id=? AND number>?)',
      );
      expect(await stepsForFacts(filter, (entries) => entries.newestFirst(AFTER, 50))).to.include(bounds);
      expect(await stepsForFacts(filter, (entries) => entries.count())).to.include('COVERING INDEX facts_by_number');
    }
  });

  it('finds entries of facts by writer, signing key, subject, source and fact', async () => {
    const expected: readonly [Omit<StoredFilter, 'tenantId'>, string][] = [
      [{ ownedBy: 'agent:a' }, 'facts_by_writer'],
      [{ entityUri: 'agent:a', sinceMs: 1 }, 'facts_by_writer'],
      [{ attested: true }, 'facts_by_signer'],
      [{ oidcSub: 'person-1' }, 'facts_by_subject'],
      [{ source: 'agent:a' }, 'facts_by_source'],
      [{ factId: 'f' }, 'facts_by_id'],
      [{ factId: 'f', ownedBy: 'agent:a' }, 'facts_by_id'],
    ];
    for (const [filter, index] of expected) {
      for (const ask of [
        (entries: MatchingEntries) => entries.inOrder(0, 200),
        (entries: MatchingEntries) => entries.newestFirst(undefined, 50),
        (entries: MatchingEntries) => entries.count(),
      ]) {
        expect(await stepsForFacts(filter, ask)).to.include(`INDEX ${index} (`);
      }
    }
  });

  it('counts facts without a signing key by subtracting those with one', async () => {
    const steps = await stepsForFacts({ attested: false }, (entries) => entries.count());
    expect(steps).to.match(/facts_by_number .*; .*facts_by_signer/);
  });

  it('finds stored entries of a tenant by number and by time', async () => {
    expect(await stepFor({}, (entries) => entries.inOrder(7, 200))).to.include('(tenant_id=? AND seq>?)');
    expect(await stepFor({}, (entries) => entries.newestFirst(AFTER, 50))).to.include('(tenant_id=? AND ts_ms<?)');
    expect(await stepFor({ sinceMs: 1 }, (entries) => entries.count())).to.include('(tenant_id=? AND ts_ms>?)');
  });

  it('finds stored entries of an entity by the entity index', async () => {
    for (const filter of [{ ownedBy: 'agent:a' }, { entityUri: 'agent:a' }]) {
      const step = await stepFor(filter, (entries) => entries.newestFirst(AFTER, 50));
      expect(step).to.include('(tenant_id=? AND entity_uri=? AND ts_ms<?)');
      expect(await stepFor(filter, (entries) => entries.count())).to.include('(tenant_id=? AND entity_uri=?)');
    }
  });

  it('finds stored entries of a fact by the fact index, in either order and for either reader', async () => {
    for (const filter of [{ factId: 'f' }, { factId: 'f', ownedBy: 'agent:a' }]) {
      const byFact = '(tenant_id=? AND fact_id=?';
      expect(await stepFor(filter, (entries) => entries.newestFirst(undefined, 50))).to.include(byFact);
      expect(await stepFor(filter, (entries) => entries.newestFirst(AFTER, 50))).to.include(byFact);
      expect(await stepFor(filter, (entries) => entries.count())).to.include(byFact);
      expect(await stepFor(filter, (entries) => entries.inOrder(0, 1000))).to.include('(tenant_id=? AND seq=?)');
    }
  });
});
