import pg from 'pg';
import type { OwnedMigration } from '../../ports/ports.ts';
import { planTestDatabase, type TestDatabase } from './postgres-server.ts';
import { ReusedSessions } from './reused-sessions.ts';
import { databaseTemplate, namesOf, ownEpoch } from './store-templates.ts';

/**
 * A PostgreSQL database for one node after another. Emptying a database costs much less than creating it, opening
 * sessions and dropping it.
 */
export class NodeDatabase {
  readonly url: string;
  /** The tables that a node expects before it starts. */
  readonly tables: string | undefined;
  readonly #database: TestDatabase;
  readonly #sessions = new ReusedSessions();
  #migrations: string | undefined;
  #admin: pg.Client | undefined;
  #pristine: Pristine | undefined;

  constructor(database: TestDatabase, tables: string | undefined) {
    this.#database = database;
    this.url = database.url;
    this.tables = tables;
  }

  get driver(): typeof pg.Client {
    return this.#sessions.driver;
  }

  /** Provides the tables of these migrations without the rows of an earlier node, or no tables. */
  async fill(migrations: readonly OwnedMigration[] | undefined): Promise<void> {
    const names = migrations && namesOf(migrations);
    if (names !== undefined && names === this.#migrations && (await this.#restore())) return;
    if (this.#migrations !== undefined) await this.drop();
    await this.#database.create(migrations && (await databaseTemplate(migrations)));
    this.#migrations = names;
    if (names === undefined) return;
    const admin = await this.#connect();
    this.#pristine = await readPristine(admin);
    await admin.query(ownEpoch());
  }

  /** Ends all sessions and removes the database. */
  async drop(): Promise<void> {
    await this.#sessions.end();
    await this.#admin?.end().catch(() => {});
    this.#admin = undefined;
    this.#migrations = undefined;
    await this.#database.drop();
  }

  /** Returns false when somebody changed the tables or the sessions are lost. */
  async #restore(): Promise<boolean> {
    const admin = this.#admin;
    if (admin === undefined || this.#pristine === undefined) return false;
    const { shape, rows } = this.#pristine;
    try {
      await admin.query(endOthers(await this.#sessions.processNumbers()));
      await admin.query(
        `BEGIN; SET LOCAL session_replication_role = replica; ${EMPTY}; ${rows}; ${ownEpoch()}; COMMIT`,
      );
      return (await shapeOf(admin)) === shape;
    } catch {
      return false;
    }
  }

  async #connect(): Promise<pg.Client> {
    const admin = new pg.Client({ connectionString: this.url });
    // A lost connection shows in the next query.
    admin.on('error', () => {});
    await admin.connect();
    this.#admin = admin;
    return admin;
  }
}

/** The state of a database before its first node. */
interface Pristine {
  readonly shape: string;
  /** The statements that insert the rows of the migrations. */
  readonly rows: string;
}

const readPristine = async (admin: pg.Client): Promise<Pristine> => {
  const { rows: tables } = await admin.query<{ readonly name: string }>(FILLED);
  const statements: string[] = [];
  for (const { name } of tables) {
    const { rows } = await admin.query<{ readonly json: string }>(`SELECT json_agg(t)::text AS json FROM ${name} t`);
    const json = pg.escapeLiteral(rows[0]?.json ?? '[]');
    statements.push(`INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, ${json})`);
  }
  return { shape: await shapeOf(admin), rows: statements.join('; ') };
};

const FILLED = `SELECT oid::regclass::text AS name FROM pg_class
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND pg_relation_size(oid) > 0`;

/** Truncates large tables, because deleted rows remain in their files. Truncating a small table takes longer. */
const EMPTY = `DO $$ DECLARE one regclass; BEGIN
  FOR one IN SELECT name::regclass FROM (${FILLED}) AS filled LOOP
    IF pg_relation_size(one) > 65536 THEN EXECUTE format('TRUNCATE %s', one);
    ELSE EXECUTE format('DELETE FROM %s', one); END IF;
  END LOOP;
  PERFORM setval(oid::regclass, 1, false) FROM pg_class
    WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace;
END $$`;

/** Returns a text that changes with tables, indexes, sequences, columns, triggers and functions. */
const shapeOf = async (admin: pg.Client): Promise<string> => {
  const { rows } = await admin.query<{ readonly shape: string }>(SHAPE);
  return rows[0]?.shape ?? '';
};

const SHAPE = `SELECT concat_ws(' ', (SELECT count(*) FROM pg_class), (SELECT max(oid) FROM pg_class),
  (SELECT sum(relnatts + relchecks) FROM pg_class), (SELECT count(*) FROM pg_trigger WHERE tgenabled = 'O'),
  (SELECT count(*) FROM pg_proc)) AS shape`;

/** Returns the query that ends sessions which earlier nodes have not closed. */
const endOthers = (free: readonly number[]): string => `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> ALL ('{${free.join()}}') AND pid <> pg_backend_pid()`;

/** Databases without a node, the one given back last at the end. */
const free: NodeDatabase[] = [];
/** More would only take connections, because tests of one file mostly need the same tables. */
const MOST_FREE = 4;

/** Takes a free database with these tables, or plans a new one. */
export const takeDatabase = async (tables: string | undefined): Promise<NodeDatabase> => {
  const at = tables === undefined ? -1 : free.findLastIndex((database) => database.tables === tables);
  const [database] = at < 0 ? [] : free.splice(at, 1);
  return database ?? new NodeDatabase(await planTestDatabase(), tables);
};

/** Gives a database back that no node uses any more. */
export const giveBack = async (database: NodeDatabase): Promise<void> => {
  free.push(database);
  if (free.length > MOST_FREE) await free.shift()?.drop();
};
