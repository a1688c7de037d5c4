import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { selectStatement } from '../../../adapters/sql/select-statement.ts';
import { sqliteDialect } from '../../../adapters/sqlite/sqlite-dialect.ts';
import { loadSqliteDriver, type SqliteDatabase } from '../../../adapters/sqlite/sqlite-driver.ts';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import type { PluginTables, PluginTransaction } from '../../../kernel/plugin-api.ts';
import { planMigrations } from '../../../kernel/plugins/plan-migrations.ts';
import { createConflictEntities } from '../../../plugins/conflicts/conflict-entities.ts';
import { conflictsPlugin } from '../../../plugins/conflicts/conflicts-plugin.ts';
import { sweepNotes } from '../../../plugins/conflicts/erase-conflicts.ts';
import { createTemporaryStore, type TemporaryStore } from '../../adapters/sqlite/temporary-store.ts';

const BY_ENTITY = 'conflicts_records_by_entity (tenant_id=? AND entity_key=?';

describe('the query plan of SQLite for the conflicts over one entity (I21)', () => {
  const names = createServiceNames('svc');
  const transaction = {} as PluginTransaction;
  let temporary: TemporaryStore;
  let database: SqliteDatabase;
  let statements: string[];
  before(async () => {
    temporary = await createTemporaryStore();
    await temporary.store.migrate(planMigrations(CORE_MIGRATIONS, [conflictsPlugin], []));
    database = loadSqliteDriver().open(temporary.path);
  });
  beforeEach(() => {
    statements = [];
  });
  after(async () => {
    database.close();
    await temporary.stop();
  });

  const table = (name: string) =>
    temporary.store.table(name).on('query', ({ sql }: { readonly sql: string }) => statements.push(sql));
  const select = async (name: string, where: Parameters<typeof selectStatement>[1]) => {
    statements.push(selectStatement(name, where, sqliteDialect).sql);
    return [];
  };
  const tables = { in: () => Object.assign(table, { select }) } as unknown as PluginTables;

  /** Returns the plan of the only statement. */
  const plan = (): string => {
    const [sql = '', ...more] = statements;
    expect(more).to.deep.equal([]);
    const explained = database.prepare(`EXPLAIN QUERY PLAN ${sql}`);
    explained.setReturnArrays(true);
    return (explained.all() as string[][]).map((step) => String(step[3])).join('; ');
  };

  it('finds them for a tombstone without the other conflicts of the tenant', async () => {
    await createConflictEntities(tables, names).about(transaction, 'default', ['user:gone']);
    expect(plan()).to.include(BY_ENTITY);
  });

  it('finds each page of them for an erasure without the others, and sorts none', async () => {
    const erasure = { tenantId: 'default', entityKey: 'user:gone', scopes: ['company'] } as const;
    await sweepNotes(tables, names).step(erasure as never, 'a', transaction);
    expect(plan()).to.include(`${BY_ENTITY} AND conflict_id>?)`).and.not.include('TEMP B-TREE');
  });
});
