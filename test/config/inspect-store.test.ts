import { expect } from 'chai';
import { inspectNode } from '../../config/inspect-node.ts';
import { openNode } from '../../config/open-node.ts';
import { BootError } from '../../kernel/problems/boot-problem.ts';
import { runInProcess } from '../adapters/cli/run-in-process.ts';
import { administer, createTestDatabase, type TestDatabase } from '../kit/postgres-server.ts';

const run = (argv: readonly string[], env: Record<string, string>) =>
  runInProcess(argv, {
    env: { SVC_PORT: '0', ...env },
    openNode,
    inspectNode,
    problemsOf: (error) => (error instanceof BootError ? error.problems : []),
  });

describe('the node check "plugins doctor" on a PostgreSQL database', () => {
  let database: TestDatabase;
  let role: string;
  before(async () => {
    database = await createTestDatabase();
    role = `${new URL(database.url).pathname.slice(1)}_guest`;
    await administer(database.url, `CREATE ROLE ${role} LOGIN PASSWORD 'hunter2'`);
  });
  after(async () => {
    await database.drop();
    await administer(process.env['SVC_TEST_DATABASE_URL'] || maintenanceUrl(), `DROP ROLE ${role}`);
  });
  const maintenanceUrl = () => change((url) => Object.assign(url, { pathname: '/postgres' }));
  const change = (how: (url: URL) => void): string => {
    const url = new URL(database.url);
    how(url);
    return url.href;
  };
  const tables = () => administer(database.url, "SELECT relname FROM pg_class WHERE relname = 'facts'");

  it('reports no problem if a node could start, and changes nothing', async () => {
    const { exitCode, stdout } = await run(['plugins', 'doctor'], { SVC_DATABASE_URL: database.url });
    expect(stdout).to.match(/^No problem found; \d+ plugins on\.\n$/);
    expect(exitCode).to.equal(0);
    expect(await tables()).to.deep.equal([]);
  });

  it('reports why the database cannot be reached, with a remedy', async () => {
    const url = change((address) => Object.assign(address, { port: '1', password: 'hunter2' }));
    const doctor = await run(['plugins', 'doctor'], { SVC_DATABASE_URL: url });
    expect(doctor.exitCode).to.equal(1);
    expect(doctor.stdout).to.match(/^1\. nothing listens .*\n {3}hint: .*SVC_DATABASE_URL/);
    const start = await run(['start'], { SVC_DATABASE_URL: url });
    expect(start.exitCode).to.equal(1);
    expect(start.stderr)
      .to.match(/nothing listens/)
      .and.match(/SVC_DATABASE_URL/);
    for (const text of [doctor.stdout, doctor.stderr, start.stdout, start.stderr]) {
      expect(text).not.to.include('hunter2');
      expect(text).not.to.include('    at ');
    }
  });

  it('reports a missing privilege, and a connection limit with too few connections', async () => {
    await administer(database.url, 'REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    const url = change((address) => Object.assign(address, { username: role, password: 'hunter2' }));
    const env = { SVC_DATABASE_URL: url, SVC_WORKERS: '64' };
    const { exitCode, stdout } = await run(['plugins', 'doctor'], env);
    expect(exitCode).to.equal(1);
    expect(stdout).to.include('1. the user of the database may not create tables').and.include('GRANT CREATE');
    expect(stdout).to.match(/2\. the database allows \d+ connections/);
  });

  it('reports a connection limit with too few connections for each process, but not one below the pool sizes', async () => {
    const env = { SVC_DATABASE_URL: database.url, SVC_DATABASE_POOL_SIZE: '900' };
    expect((await run(['plugins', 'doctor'], env)).exitCode).to.equal(0);
    const { exitCode, stdout } = await run(['plugins', 'doctor'], { ...env, SVC_WORKERS: '64' });
    expect(exitCode).to.equal(1);
    expect(stdout)
      .to.match(/1\. the database allows \d+ connections, and the node needs 320/)
      .and.include('SVC_WORKERS');
    const start = await run(['start'], { ...env, SVC_WORKERS: '64' });
    expect(start.exitCode).to.equal(1);
    expect(start.stderr).to.include('the node needs 320').and.include('SVC_WORKERS');
  });

  it('reports that the tables lack their schema', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await administer(database.url, `ALTER ROLE ${role} IN DATABASE ${name} SET search_path = nowhere`);
    const url = change((address) => Object.assign(address, { username: role, password: 'hunter2' }));
    const { exitCode, stdout } = await run(['plugins', 'doctor'], { SVC_DATABASE_URL: url });
    expect(exitCode).to.equal(1);
    expect(stdout).to.include('no schema');
  });
});
