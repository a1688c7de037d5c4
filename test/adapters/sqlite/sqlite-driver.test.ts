import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { loadSqliteDriver, type SqliteDatabase } from '../../../adapters/sqlite/sqlite-driver.ts';
import { runScript } from '../../kit/run-script.ts';

const DRIVER = new URL('../../../adapters/sqlite/sqlite-driver.js', import.meta.url).href;

const primaryCodeOf = (run: () => unknown): number => {
  try {
    run();
  } catch (error) {
    return (error as { errcode: number }).errcode & 0xff;
  }
  throw new Error('nothing was thrown');
};

describe('the SQLite driver', () => {
  let database: SqliteDatabase;
  before(() => {
    database = loadSqliteDriver().open(':memory:');
  });
  after(() => database.close());

  it('binds every number exactly, however small', () => {
    const echo = database.prepare('SELECT CAST(? AS REAL)');
    echo.setReturnArrays(true);
    for (const number of [0, 1, 0.1 + 0.2, 1e-15, 1e-16, 1e-17, 1e-300, 5e-324, 1 + Number.EPSILON, 1e21, 2 ** 53]) {
      expect(echo.all(number), String(number)).to.deep.equal([[number]]);
    }
  });

  it('distinguishes statements that return rows from others', () => {
    expect(
      database
        .prepare('SELECT 1 AS one')
        .columns()
        .map(({ name }) => name),
    ).to.deep.equal(['one']);
    database.exec('CREATE TABLE t (a)');
    expect(database.prepare('INSERT INTO t VALUES (1)').columns()).to.have.length(0);
    expect(database.prepare('INSERT INTO t VALUES (1) RETURNING a').columns()).to.have.length(1);
  });

  it('returns the result code of every failure, also of a statement that fails while it returns rows', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'sqlite-driver-')), 'a.db');
    const [one, other] = [loadSqliteDriver().open(path), loadSqliteDriver().open(path)];
    one.exec('CREATE TABLE t (a UNIQUE); PRAGMA max_page_count = 4');
    const [read, write] = [other.prepare('SELECT a FROM t'), one.prepare('INSERT INTO t VALUES (?) RETURNING a')];
    one.exec('BEGIN EXCLUSIVE');
    expect(
      primaryCodeOf(() => read.all()),
      'locked',
    ).to.equal(5);
    one.exec('COMMIT');
    expect(
      primaryCodeOf(() => write.all('x'.repeat(50_000))),
      'full',
    ).to.equal(13);
    write.all('y');
    expect(
      primaryCodeOf(() => write.all('y')),
      'unique',
    ).to.equal(19);
    for (const database of [one, other]) database.close();
    rmSync(dirname(path), { recursive: true });
  });

  it('prints nothing when it loads', async () => {
    const script = `const { loadSqliteDriver } = await import('${DRIVER}');
      loadSqliteDriver().open(':memory:').exec('SELECT 1');
      process.emitWarning('heard');`;
    const { code, stdout, stderr } = await runScript(script);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.equal('');
    expect(
      stderr.split('\n').filter((line) => /warning/i.test(line) && !line.includes('trace-warnings')),
    ).to.have.length(1);
  });
});
