import {
  DEFAULT_TENANT,
  type FactStore,
  type MigrationSchema,
  type OwnedMigration,
  ServiceError,
} from '../../ports/ports.ts';
import type { FactStatements } from './fact-statements.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlEngine, SqlSession } from './sql-engine.ts';
import { SqlWriteTransaction } from './sql-write-transaction.ts';

/**
 * The table of applied migrations. `version` is `<three digits>_<name>`, `owner` is `core` or the plugin of the
 * migration.
 */
const LEDGER = 'schema_migrations';
const LOCK = 'migrations';
const CORE = 'core';

/** A store whose tables are migrated. */
interface MigratedStore {
  readonly engine: SqlEngine;
  readonly statements: FactStatements;
}

/**
 * Applies the migrations that the ledger lacks, in ascending order. Every migration is a transaction of its own, or
 * several if it has to be prepared. Each transaction takes the lock and reads the ledger again. The last one adds the
 * row of the migration. So several processes may start at once, and an interrupted start continues where it stopped.
 */
export const applyMigrations = async (
  store: MigratedStore,
  migrations: readonly OwnedMigration[],
  { isTrial = false, onProgress = () => {} }: Parameters<FactStore['migrate']>[1] = {},
): Promise<readonly OwnedMigration[]> => {
  const { engine } = store;
  const { pending, isNew } = await pendingMigrations(engine, migrations);
  if (isTrial) return pending;
  for (const group of isNew ? unpreparedTogether(pending) : pending.map((migration) => [migration])) {
    if (group.length > 1 && (await applyAtOnce(store, group, migrations))) continue;
    for (const migration of group) {
      if (migration.prepare !== undefined) await prepareInSteps(store, migration, migrations, onProgress);
      await takeTurn(engine, migrations, (session, ledger) => apply(store, session, migration, ledger));
      engine.schemaChanged();
    }
  }
  return pending;
};

/** Groups consecutive migrations without preparation. */
const unpreparedTogether = (pending: readonly OwnedMigration[]): OwnedMigration[][] => {
  const groups: OwnedMigration[][] = [];
  for (const [at, migration] of pending.entries()) {
    const goesOn = migration.prepare === undefined && at > 0 && pending[at - 1]?.prepare === undefined;
    if (goesOn) groups.at(-1)?.push(migration);
    else groups.push([migration]);
  }
  return groups;
};

/**
 * Applies all of them in one transaction, because in a new store each further commit only waits for the disk. Returns
 * false when one fails, so that the caller applies them one by one.
 */
const applyAtOnce = async (
  store: MigratedStore,
  group: readonly OwnedMigration[],
  all: readonly OwnedMigration[],
): Promise<boolean> => {
  try {
    await takeTurn(store.engine, all, async (session, ledger) => {
      for (const migration of group) {
        await apply(store, session, migration, ledger);
        store.engine.schemaChanged();
      }
    });
    return true;
  } catch {
    return false;
  } finally {
    store.engine.schemaChanged();
  }
};

const apply = async (
  store: MigratedStore,
  session: SqlSession,
  migration: OwnedMigration,
  ledger: ReadonlyMap<number, LedgerEntry>,
): Promise<void> => {
  if (ledger.has(migration.number)) return;
  await migration.up(schemaOf(session, store));
  await session.run(`INSERT INTO ${LEDGER} (version, applied_at, owner) VALUES (?, ?, ?)`, [
    versionOf(migration),
    new Date().toISOString(),
    migration.owner,
  ]);
};

/** Runs the preparation of a migration step by step. Another process may have done a part of it, or all. */
const prepareInSteps = async (
  store: MigratedStore,
  migration: OwnedMigration,
  all: readonly OwnedMigration[],
  onProgress: (line: string) => void,
): Promise<void> => {
  for (let isReady = false; !isReady; ) {
    let line: string | undefined;
    isReady = true;
    await takeTurn(store.engine, all, async (session, ledger) => {
      if (ledger.has(migration.number)) return;
      const prepared = await migration.prepare?.(schemaOf(session, store), (done, total, what) => {
        line = `migration ${versionOf(migration)}: ${grouped(done)} of ${grouped(total)} ${what}`;
      });
      isReady = prepared ?? true;
    });
    store.engine.schemaChanged();
    if (line !== undefined) onProgress(line);
  }
};

const grouped = (count: number): string => count.toLocaleString('en-US');

/** Runs work in a transaction under the lock, with the current ledger. */
const takeTurn = (
  engine: SqlEngine,
  all: readonly OwnedMigration[],
  work: (session: SqlSession, ledger: ReadonlyMap<number, LedgerEntry>) => Promise<void>,
): Promise<void> =>
  engine.write(
    LOCK,
    async (session) => {
      await session.run(CREATE_LEDGER, []);
      const ledger = await readLedger(session, engine.dialect);
      refuseForeignLedger(ledger, all);
      await work(session, ledger);
    },
    { unhurried: true },
  );

/** Returns the missing migrations in ascending order. Refuses a ledger that does not fit the given migrations. */
const pendingMigrations = async (engine: SqlEngine, migrations: readonly OwnedMigration[]) => {
  const ordered = [...migrations].sort((one, other) => one.number - other.number);
  refuseSharedNumbers(ordered);
  const applied = await engine.read((session) => readLedger(session, engine.dialect));
  refuseForeignLedger(applied, ordered);
  const pending = ordered.filter((migration) => !applied.has(migration.number));
  return { pending, isNew: applied.size === 0 };
};

interface LedgerEntry {
  readonly version: string;
  readonly owner: string;
}

const versionOf = ({ number, name }: OwnedMigration): string => `${String(number).padStart(3, '0')}_${name}`;

const CREATE_LEDGER = `CREATE TABLE IF NOT EXISTS ${LEDGER} (
  version TEXT NOT NULL PRIMARY KEY,
  applied_at TEXT NOT NULL,
  owner TEXT NOT NULL
)`;

const readLedger = async (session: SqlSession, dialect: SqlDialect): Promise<ReadonlyMap<number, LedgerEntry>> => {
  if (!(await tableNames(session, dialect)).includes(LEDGER)) return new Map();
  const rows = await session.rows(`SELECT version, owner FROM ${LEDGER}`, []);
  return new Map(
    rows.map(([version, owner]) => [
      Number.parseInt(version as string, 10),
      { version: version as string, owner: owner as string },
    ]),
  );
};

const refuseSharedNumbers = (ordered: readonly OwnedMigration[]): void => {
  for (const [at, migration] of ordered.entries()) {
    const next = ordered[at + 1];
    if (next?.number === migration.number) {
      throw new Error(
        `migrations ${versionOf(migration)} of ${migration.owner} and ${versionOf(next)} of ${next.owner} share a number`,
      );
    }
  }
};

const refuseForeignLedger = (ledger: ReadonlyMap<number, LedgerEntry>, known: readonly OwnedMigration[]): void => {
  const newestCore = Math.max(0, ...known.filter(({ owner }) => owner === CORE).map(({ number }) => number));
  for (const [number, { version, owner }] of ledger) {
    if (owner === CORE && number > newestCore) {
      throw new ServiceError('unavailable', `the store was written by a newer version: it has migration ${version}`, {
        hint: 'start the version that wrote it or a newer one, or restore a copy made before the upgrade',
      });
    }
    const mine = known.find((migration) => migration.number === number);
    if (mine !== undefined && versionOf(mine) !== version) {
      throw new ServiceError(
        'unavailable',
        `the store has migration ${version} of ${owner} where ${mine.owner} brings ${versionOf(mine)}`,
        { hint: 'migration numbers are unique: give the newer of the two another number' },
      );
    }
  }
};

const schemaOf = (session: SqlSession, { engine: { dialect }, statements }: MigratedStore): MigrationSchema => ({
  get schema() {
    return session.schema();
  },
  dialect: dialect.schema,
  data: new SqlWriteTransaction(session, dialect, statements, DEFAULT_TENANT),
  raw: async (sql) => {
    await session.run(sql, []);
  },
  tables: async () => (await tableNames(session, dialect)).filter((name) => name !== LEDGER),
  hasColumn: async (table, column) => {
    const rows = await session.rows(dialect.queries.columnNames, [table]);
    return rows.some(([name]) => name === column);
  },
});

const tableNames = async (session: SqlSession, dialect: SqlDialect): Promise<string[]> => {
  const rows = await session.rows(dialect.queries.tableNames, []);
  return rows.map(([name]) => name as string).sort();
};
