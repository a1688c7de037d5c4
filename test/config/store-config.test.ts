import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createNode } from '../../config/create-node.ts';
import { loadNodeConfig } from '../../config/node-config.ts';
import { storePlace } from '../../config/store-place.ts';
import { BootError } from '../../kernel/problems/boot-problem.ts';
import { rejection } from '../kit/rejection.ts';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';

const URL = 'postgres://svc:p%40ss@db.example:6543/facts?sslmode=verify-full';

const load = (store: Record<string, unknown>, env: Record<string, string> = {}) =>
  inTemporaryFolder(async (folder) => {
    const configFile = join(folder, 'node.json');
    await writeFile(configFile, JSON.stringify({ adapters: { store } }));
    return loadNodeConfig({ configFile, env });
  });

describe('the configuration of the store', () => {
  it('accepts every variable of PostgreSQL, and selects it by its address alone', async () => {
    const { store, problems } = await loadNodeConfig({
      env: {
        SVC_DATABASE_URL: URL,
        SVC_DATA_FOLDER: '/srv/node-a',
        SVC_DATABASE_POOL_SIZE: '40',
        SVC_DATABASE_LOCK_TIMEOUT_MS: '1000',
        SVC_DATABASE_STATEMENT_TIMEOUT_MS: '2000',
        SVC_DB_PATH: 'data/old.db',
      },
    });
    expect(problems).to.deep.equal([]);
    expect(store.adapter.name).to.equal('postgres');
    expect(store.settings).to.deep.equal({
      url: URL,
      dataFolder: '/srv/node-a',
      poolSize: 40,
      lockTimeoutMs: 1_000,
      statementTimeoutMs: 2_000,
    });
  });

  it('prefers the variable to a file that names another store, and then ignores the settings in the file', async () => {
    const { store, problems } = await load({ use: 'sqlite', path: 'data/old.db' }, { SVC_DATABASE_URL: URL });
    expect(problems).to.deep.equal([]);
    expect(store.adapter.name).to.equal('postgres');
  });

  it('refuses the path of a folder in place of a file, which no later start would find', async () => {
    for (const path of ['data/', '/srv/node a//', '/']) {
      const given = [await loadNodeConfig({ env: { SVC_DB_PATH: path } }), await load({ use: 'sqlite', path })];
      for (const { problems } of given) {
        expect(problems.map(({ message }) => message).join(), path).to.include('file of the store, not its folder');
      }
    }
    expect((await loadNodeConfig({ env: { SVC_DB_PATH: 'my data/ü.db' } })).problems).to.deep.equal([]);
  });

  it('accepts PostgreSQL from the file, with its defaults', async () => {
    const { store, problems } = await load({ use: 'postgres', url: URL });
    expect(problems).to.deep.equal([]);
    expect(store.settings).to.deep.equal({
      url: URL,
      dataFolder: 'data',
      poolSize: 16,
      lockTimeoutMs: 5_000,
      statementTimeoutMs: 15_000,
    });
  });

  it('refuses PostgreSQL without an address, or with an invalid one', async () => {
    const missing = await load({ use: 'postgres' });
    expect(missing.problems.map(({ message }) => message).join()).to.include('adapters.store.url');
    for (const url of ['mysql://me:secret@x/y', 'me:secret@x']) {
      const { problems } = await loadNodeConfig({ env: { SVC_DATABASE_URL: url } });
      expect(problems[0]?.message).to.include('SVC_DATABASE_URL').and.not.include('secret');
    }
    const { problems } = await loadNodeConfig({ env: { SVC_DATABASE_URL: URL, SVC_DATABASE_POOL_SIZE: '3' } });
    expect(problems[0]?.message).to.include('SVC_DATABASE_POOL_SIZE accepts a whole number from 4');
  });

  it('stops the start with only the reason when it is refused', async () => {
    const error = await rejection(createNode({ env: { SVC_DATABASE_URL: 'mysql://me:secret@x/y' } }));
    expect(error).to.be.instanceOf(BootError);
    const [problem, ...others] = (error as unknown as BootError).problems;
    expect(problem?.message).to.match(/^SVC_DATABASE_URL accepts/);
    expect(others).to.deep.equal([]);
  });

  it('names the nearest store in place of a misspelt one', async () => {
    expect((await load({ use: 'postgers', url: URL })).problems).to.deep.equal([
      { message: 'adapters.store.use accepts one of postgres, sqlite', hint: 'did you mean postgres?' },
    ]);
  });

  it('refuses further addresses of a database where the store is a file', async () => {
    for (const name of ['SVC_DATABASE_DIRECT_URL', 'SVC_DATABASE_REPLICA_URLS']) {
      const error = await rejection(createNode({ env: { [name]: URL } }));
      expect((error as unknown as BootError).problems).to.deep.equal([
        {
          message: `${name} is set, and the store of this node is no PostgreSQL database`,
          hint: `set SVC_DATABASE_URL to the address of the database, or unset ${name}`,
        },
      ]);
      await createNode({ env: { [name]: URL, SVC_DATABASE_URL: URL } });
      await createNode({ env: { [name]: ' ' } });
    }
  });

  it('is shown without user, password and parameters', async () => {
    const config = await loadNodeConfig({ env: { SVC_DATABASE_URL: URL } });
    expect(storePlace(config).location).to.equal('postgres://db.example:6543/facts');
    const cluster = await loadNodeConfig({ env: { SVC_DATABASE_URL: 'postgres://me:secret@a:5432,b:5433/facts' } });
    expect(storePlace(cluster).location).to.equal('postgres://a:5432,b:5433/facts');
    const node = await createNode({ env: { SVC_DATABASE_URL: URL } });
    const setting = node.config.report.find(({ variable }) => variable === 'SVC_DATABASE_URL');
    expect(setting).to.deep.include({ value: '(set)', origin: 'environment' });
    expect(JSON.stringify(node.config.report)).not.to.include('p%40ss');
  });

  it('has a folder for files even when the store is a database', async () => {
    const database = await loadNodeConfig({ env: { SVC_DATABASE_URL: URL } });
    expect(storePlace(database).dataFolder).to.equal(join(process.cwd(), 'data'));
    const file = await loadNodeConfig({ env: { SVC_DB_PATH: '/srv/facts/x.db' } });
    expect(storePlace(file).dataFolder).to.equal('/srv/facts');
  });
});
