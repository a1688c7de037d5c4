import { CORE_MIGRATIONS } from '../../adapters/sql/core-migrations.ts';
import { selectStatement } from '../../adapters/sql/select-statement.ts';
import { sqliteDialect } from '../../adapters/sqlite/sqlite-dialect.ts';
import { loadSqliteDriver, type SqliteDatabase } from '../../adapters/sqlite/sqlite-driver.ts';
import { planMigrations } from '../../kernel/plugins/plan-migrations.ts';
import type { AnyPlugin } from '../../kernel/plugins/plugin-definition.ts';
import { createTemporaryStore, type TemporaryStore } from '../adapters/sqlite/temporary-store.ts';

/** Statements that a plugin would send to its tables in SQLite. They return no rows, and their plans can be read. */
export class ExplainedStatements {
  readonly #temporary: TemporaryStore;
  readonly #database: SqliteDatabase;
  #sent: string[] = [];

  static async of(plugin: AnyPlugin): Promise<ExplainedStatements> {
    const temporary = await createTemporaryStore();
    await temporary.store.migrate(planMigrations(CORE_MIGRATIONS, [plugin], []));
    return new ExplainedStatements(temporary);
  }

  private constructor(temporary: TemporaryStore) {
    this.#temporary = temporary;
    this.#database = loadSqliteDriver().open(temporary.path);
  }

  /** The tables as a plugin reaches them, for reads and for other statements. */
  readonly tables = Object.assign(
    (name: string) =>
      this.#temporary.store.table(name).on('query', ({ sql }: { readonly sql: string }) => this.#sent.push(sql)),
    {
      select: async (name: string, where: Parameters<typeof selectStatement>[1]): Promise<[]> => {
        this.#sent.push(selectStatement(name, where, sqliteDialect).sql);
        return [];
      },
    },
  );

  /** Returns the steps in the plan of each statement since the last call. */
  plans(): string[] {
    const sent = this.#sent;
    this.#sent = [];
    return sent.map((sql) => {
      const plan = this.#database.prepare(`EXPLAIN QUERY PLAN ${sql}`);
      plan.setReturnArrays(true);
      return (plan.all() as string[][]).map((step) => String(step[3])).join('; ');
    });
  }

  async stop(): Promise<void> {
    this.#database.close();
    await this.#temporary.stop();
  }
}
