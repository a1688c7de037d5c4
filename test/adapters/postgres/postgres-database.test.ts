import { inspect } from 'node:util';
import { expect } from 'chai';
import { createPostgresStore } from '../../../adapters/postgres/create-postgres-store.ts';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import type { FactStore } from '../../../ports/ports.ts';
import { administer } from '../../kit/postgres-server.ts';
import { rejection } from '../../kit/rejection.ts';
import { createTemporaryDatabase, type TemporaryDatabase } from './temporary-database.ts';

describe('a PostgreSQL database', () => {
  let temporary: TemporaryDatabase;
  beforeEach(async () => {
    temporary = await createTemporaryDatabase();
  });
  afterEach(() => temporary.stop());

  const address = (change: (url: URL) => void): string => {
    const url = new URL(temporary.url);
    // The test needs a password that must stay secret, also on a server that requires none.
    url.password ||= 'hunter2';
    change(url);
    return url.href;
  };
  /** Returns the error of a node start with this database address. */
  const startFailure = async (url: string): Promise<Error & Record<string, unknown>> => {
    const store = createPostgresStore({ url, connectTimeoutMs: 2_000 });
    try {
      return await rejection(store.migrate(CORE_MIGRATIONS));
    } finally {
      await store.close();
    }
  };

  const wrong: Readonly<Record<string, readonly [change: (url: URL) => void, message: RegExp]>> = {
    'that does not exist': [(url) => Object.assign(url, { pathname: '/nowhere' }), /does not exist/],
    'under a wrong password': [(url) => Object.assign(url, { password: 'a-wrong-one' }), /does not let the node in/],
    'under an unknown user': [(url) => Object.assign(url, { username: 'nobody-known' }), /does not let the node in/],
    'on a port where nothing listens': [(url) => Object.assign(url, { port: '1' }), /nothing listens/],
    'on a host that nobody knows': [(url) => Object.assign(url, { hostname: 'db.invalid' }), /host of the database/],
    'behind a server that speaks no TLS': [(url) => url.searchParams.set('sslmode', 'verify-full'), /speaks no TLS/],
    'with a certificate authority that is not there': [
      (url) => url.searchParams.set('sslrootcert', '/nowhere/ca.pem'),
      /names cannot be read/,
    ],
  };
  for (const [which, [change, message]] of Object.entries(wrong)) {
    it(`${which} stops the start with the reason and a hint, without the password`, async () => {
      const url = address(change);
      const error = await startFailure(url);
      expect(error).to.include({ code: 'unavailable', status: 503 });
      expect(error.message).to.match(message);
      expect(error['hint']).to.be.a('string').and.not.equal('');
      expect(inspect(error, { depth: 9, showHidden: true })).not.to.include(new URL(url).password);
    });
  }

  it('with an invalid address is refused before any connection, without printing the address', () => {
    for (const url of ['', 'localhost:5432', 'mysql://me:hunter2@x/y', 'postgres://me:hunter2@x:port/y']) {
      try {
        createPostgresStore({ url });
        expect.fail(url);
      } catch (error) {
        expect(error).to.include({ code: 'unavailable' });
        expect(inspect(error, { depth: 9, showHidden: true })).not.to.include('hunter2');
      }
    }
  });

  it('accepts every TLS mode without a warning from the driver', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): number => warnings.push(warning);
    process.on('warning', note);
    try {
      for (const mode of ['prefer', 'require', 'verify-ca']) {
        const error = await startFailure(address((url) => url.searchParams.set('sslmode', mode)));
        expect(error.message, mode).to.match(/speaks no TLS/);
      }
      expect(warnings).to.deep.equal([]);
    } finally {
      process.off('warning', note);
    }
  });

  it('with any encoding other than UTF-8 is refused', async () => {
    const name = `${new URL(temporary.url).pathname.slice(1)}_ascii`;
    await administer(
      temporary.url,
      `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`,
    );
    try {
      const error = await startFailure(address((url) => Object.assign(url, { pathname: `/${name}` })));
      expect(error.message).to.include('SQL_ASCII');
      expect(error['hint']).to.include("ENCODING 'UTF8'");
    } finally {
      await administer(temporary.url, `DROP DATABASE ${name} WITH (FORCE)`);
    }
  });

  it('is refused when the user may not create tables, with the privilege to grant', async () => {
    const role = `${new URL(temporary.url).pathname.slice(1)}_reader`;
    await administer(temporary.url, `CREATE ROLE ${role} LOGIN PASSWORD 'pass'`);
    await administer(temporary.url, 'REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    try {
      const error = await startFailure(address((url) => Object.assign(url, { username: role, password: 'pass' })));
      expect(error).to.include({ code: 'unavailable' });
      expect(error.message).to.include('lacks a right');
      expect(error['hint']).to.include('GRANT');
    } finally {
      await administer(temporary.url, `DROP ROLE ${role}`);
    }
  });

  it('is refused when another user owns its tables, as after a restored dump, with the statement that changes the owner', async () => {
    const role = `${new URL(temporary.url).pathname.slice(1)}_heir`;
    const store = createPostgresStore({ url: temporary.url });
    await store.migrate(CORE_MIGRATIONS);
    await store.close();
    await administer(temporary.url, `CREATE ROLE ${role} LOGIN PASSWORD 'pass'`);
    await administer(temporary.url, `GRANT CREATE, USAGE ON SCHEMA public TO ${role}`);
    try {
      const error = await startFailure(address((url) => Object.assign(url, { username: role, password: 'pass' })));
      expect(error).to.include({ code: 'unavailable' });
      expect(error['hint']).to.include('REASSIGN OWNED').and.include('--no-owner');
    } finally {
      await administer(temporary.url, `DROP OWNED BY ${role}`);
      await administer(temporary.url, `DROP ROLE ${role}`);
    }
  });

  it('is durable and limited in the sessions of the node, for any settings of the database', async () => {
    const name = new URL(temporary.url).pathname.slice(1);
    for (const setting of [
      'synchronous_commit = off',
      "default_transaction_isolation = 'serializable'",
      'extra_float_digits = 0',
      'bytea_output = escape',
      'default_transaction_read_only = on',
    ]) {
      await administer(temporary.url, `ALTER DATABASE ${name} SET ${setting}`);
    }
    const store: FactStore = await temporary.another({ lockTimeoutMs: 4_000, statementTimeoutMs: 9_000 });
    await store.migrate(CORE_MIGRATIONS);
    const names = [
      'synchronous_commit',
      'transaction_isolation',
      'lock_timeout',
      'statement_timeout',
      'idle_in_transaction_session_timeout',
    ];
    const read = (table: (name: string) => ReturnType<FactStore['table']>) =>
      table('pg_settings').whereIn('name', names).orderBy('name').pluck('setting');
    const written = await store.write('default', (transaction) => read((table) => transaction.table(table)));
    expect(written).to.deep.equal(['5000', '4000', '9000', 'on', 'read committed']);
    const found = await store.read((snapshot) => read((table) => snapshot.table(table)));
    expect(found).to.deep.equal(['60000', '4000', '9000', 'on', 'repeatable read']);
  });

  it('sorts and compares text by its bytes, also in tables of plugins', async () => {
    const { store } = temporary;
    const notes = {
      owner: 'notes',
      number: 900,
      name: 'notes',
      up: async ({ schema }) => {
        await schema.createTable('notes_rows', (table) => {
          table.string('word').primary();
          table.text('other');
          table.boolean('flag');
          table.float('share');
          table.integer('wide');
        });
      },
    } satisfies (typeof CORE_MIGRATIONS)[number];
    await store.migrate([...CORE_MIGRATIONS, notes]);
    const words = ['B', 'a', 'Z', '_', 'ä', 'e\u0301', 'é', '~', ''];
    const rest = { other: 'x'.repeat(300), flag: true, share: 0.1, wide: 1_772_442_904_120 };
    await store.write('default', (tx) =>
      tx.insertRows(
        'notes_rows',
        words.map((word) => ({ word, ...rest })),
      ),
    );
    const bytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
    const sorted = await store.read((snapshot) => snapshot.table('notes_rows').orderBy('word').pluck('word'));
    expect(sorted).to.deep.equal([...words].sort(bytes));
    const above = await store.read((snapshot) => snapshot.table('notes_rows').where('word', '>', 'a').pluck('word'));
    expect(above).to.have.members(words.filter((word) => bytes(word, 'a') > 0));
    const [row] = await store.read((snapshot) => snapshot.select('notes_rows', { word: 'a' }));
    expect(row).to.deep.equal({ word: 'a', ...rest, flag: 1 });
  });
});
