import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { StartProblem } from '../../adapters/cli/command-line-deps.ts';
import { probeFolder } from '../../adapters/files/probe-folder.ts';
import { inspectNode } from '../../config/inspect-node.ts';
import { openNode } from '../../config/open-node.ts';
import { currentStore, forEachStore } from '../kit/for-each-store.ts';
import { rejection } from '../kit/rejection.ts';
import { placeTestStore, type TestStore } from '../kit/test-store.ts';

forEachStore('the node check "plugins doctor"', (kind) => {
  let folder: string;
  let store: TestStore;
  let env: Record<string, string>;
  let taken: Server;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'doctor-'));
    store = await placeTestStore(currentStore(), folder);
    const { path, url } = store.settings;
    const place = kind === 'sqlite' ? { SVC_DB_PATH: String(path) } : { SVC_DATABASE_URL: String(url) };
    env = { ...place, SVC_DATA_FOLDER: folder, SVC_PORT: '0', SVC_LOG_LEVEL: 'silent' };
    taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
  });
  afterEach(async () => {
    taken.close();
    await store.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = () => openNode({ configFile: undefined, env, serve: true, createsStore: true });
  const startOnce = async (): Promise<void> => {
    const node = await open();
    await node.start();
    await node.stop();
  };
  /**
   * Lists the files of the folder without the write-ahead log of SQLite, which disappears only some time after the
   * store closes.
   */
  const files = (): string[] =>
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => !/-(wal|shm)$/.test(name))
      .sort();

  /** Returns the problems that the doctor finds, after a check that it changed no file. */
  const diagnose = async (): Promise<readonly StartProblem[]> => {
    const before = files();
    const { problems } = await inspectNode({ configFile: undefined, env });
    expect(files()).to.deep.equal(before);
    return problems;
  };

  it('names once a setting that a check and the setup of a plugin refuse', async () => {
    Object.assign(env, { SVC_UPKEEP_SCHEDULE: 'lint 0 3 * *', SVC_RATE_LIMITS: 'nonsense=1' });
    expect((await diagnose()).map(({ message }) => message)).to.deep.equal([
      'SVC_UPKEEP_SCHEDULE has a pattern for lint that has not five fields',
      'rate-limits failed in setup: SVC_RATE_LIMITS names something that has no quota',
    ]);
  });

  it('finds no problem before the first start, after it, and beside a running node', async () => {
    expect(await diagnose()).to.deep.equal([]);
    await startOnce();
    expect(await diagnose()).to.deep.equal([]);
    const node = await open();
    await node.start();
    expect((await inspectNode({ configFile: undefined, env })).problems).to.deep.equal([]);
    await node.stop();
  });

  const change = async (table: string, row: Record<string, unknown>): Promise<void> => {
    const opened = store.open();
    await opened.table(table).insert(row);
    await opened.close();
  };

  const CASES: readonly (readonly [name: string, arrange: () => Promise<unknown> | void, found: RegExp])[] = [
    [
      'a store that is newer than the program',
      () => change('schema_migrations', { version: '999_future', applied_at: '2030-01-01T00:00:00Z', owner: 'core' }),
      /written by a newer version/,
    ],
    [
      'a migration of another plugin under a number of ours',
      async () => {
        const opened = store.open();
        await opened.table('schema_migrations').where({ version: '001_init' }).update({ version: '001_other' });
        await opened.close();
      },
      /has migration 001_other/,
    ],
    ['a store of another service', () => void Object.assign(env, { SVC_SERVICE_NAME: 'other' }), /a service named svc/],
    ['a store of another node', () => void Object.assign(env, { SVC_NODE_ID: 'svc://other' }), /belongs to the node/],
    ['a lost private key', () => rmSync(join(folder, 'node.key')), /private key is missing/],
    ['a private key that others may read', () => chmodSync(join(folder, 'node.key'), 0o644), /others than its owner/],
    ['a private key that is none', () => writeFileSync(join(folder, 'node.key'), 'x'), /does not hold a private key/],
    [
      'a port that is taken',
      () => void Object.assign(env, { SVC_PORT: String((taken.address() as AddressInfo).port) }),
      /cannot listen on 127\.0\.0\.1:\d+/,
    ],
    ['an address of another machine', () => void Object.assign(env, { SVC_HOST: '192.0.2.1' }), /cannot listen on/],
  ];

  for (const [name, arrange, found] of CASES) {
    it(`finds ${name}, with a remedy, as a start would`, async () => {
      await startOnce();
      await arrange();
      const problems = await diagnose();

      expect(problems.map(({ message }) => message).join('\n')).to.match(found);
      expect(problems).to.have.length(1);
      for (const { hint } of problems) expect(hint ?? '').not.to.equal('');
      const node = await open();
      expect((await rejection(node.start())).message).to.match(found);
      await node.stop();
    });
  }

  it('finds the problems of plugins, store, key and address together', async () => {
    await startOnce();
    rmSync(join(folder, 'node.key'));
    const { port } = taken.address() as AddressInfo;
    Object.assign(env, { SVC_SERVICE_NAME: 'other', SVC_PORT: String(port), SVC_SALIENCE_WEIGHT: 'much' });
    const problems = await diagnose();

    // The doctor does not open the store of a node with invalid plugins, because its expected tables are unknown.
    expect(problems.map(({ message }) => message).join('\n'))
      .to.match(/SVC_SALIENCE_WEIGHT/)
      .and.match(/cannot listen/);
    delete env['SVC_SALIENCE_WEIGHT'];
    expect(await diagnose()).to.have.length(3);
  });

  it('finds a file in place of the folder, and a folder on a missing file system', async () => {
    writeFileSync(join(folder, 'file'), '');
    for (const place of [join(folder, 'file', 'deep'), '/proc/nowhere']) {
      const at = kind === 'sqlite' ? { SVC_DB_PATH: join(place, 'svc.db') } : { SVC_DATA_FOLDER: place };
      const { problems } = await inspectNode({ configFile: undefined, env: { ...env, ...at } });
      expect(problems[0]?.message, place).to.match(/is a file where a folder is needed|nothing can be written in/);
      expect(problems[0]?.hint).to.match(/folder/);
    }
  });

  it('creates no file at the paths in the plugin settings', async () => {
    const configFile = join(folder, 'node.json');
    const [key, snapshots] = [join(folder, 'keys', 'node.key'), join(folder, 'index')];
    const plugins = { 'node-info': { privateKeyFile: key }, search: { snapshotFolder: snapshots } };
    writeFileSync(configFile, JSON.stringify({ plugins }));
    const before = files();
    expect((await inspectNode({ configFile, env })).problems).to.deep.equal([]);
    await (await openNode({ configFile, env, serve: false, createsStore: false })).describe();
    expect(files()).to.deep.equal(before);
  });

  it('finds an invalid first key before the first start', async () => {
    writeFileSync(join(folder, 'admin.key'), 'short', { mode: 0o600 });
    expect((await diagnose()).map(({ message }) => message)).to.deep.equal([
      `${join(folder, 'admin.key')} holds no key`,
    ]);
  });
});

describe('the node check "plugins doctor" on an SQLite file', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'doctor-'));
    path = join(folder, 'svc.db');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const messages = async (): Promise<string[]> => {
    const env = { SVC_DB_PATH: path, SVC_PORT: '0', SVC_LOG_LEVEL: 'silent' };
    return (await inspectNode({ configFile: undefined, env })).problems.map(({ message }) => message);
  };

  it('finds that it is a folder, or no store', async () => {
    writeFileSync(path, 'not a database'.repeat(100));
    expect(await messages()).to.deep.equal([`the store is damaged or is not a database: ${path}`]);
    rmSync(path);
    mkdirSync(path);
    expect(await messages()).to.deep.equal([`the store ${path} is not a file`]);
  });

  it('finds overwritten pages', async () => {
    const env = { SVC_DB_PATH: path, SVC_PORT: '0', SVC_LOG_LEVEL: 'silent' };
    const node = await openNode({ configFile: undefined, env, serve: false, createsStore: true });
    await node.start();
    await node.stop();
    const file = openSync(path, 'r+');
    for (let page = 10; page < 20; page += 1) writeSync(file, Buffer.alloc(100, 0xff), 0, 100, page * 4096);
    closeSync(file);

    expect((await messages()).join()).to.contain('is damaged');
  });

  it('finds that the disk is almost full', () => {
    expect(probeFolder(folder, () => 3 * 1024 * 1024)?.message).to.equal(
      `only 3 MiB are free on the disk of ${folder}`,
    );
    expect(probeFolder(folder, () => 1024 ** 3)).to.equal(undefined);
  });
});
