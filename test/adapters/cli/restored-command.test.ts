import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import { fewPlugins } from '../../kit/few-plugins.ts';
import { createTestDatabase } from '../../kit/postgres-server.ts';
import { releaseFiles } from '../../kit/release-files.ts';
import type { CommandResult } from './run-in-process.ts';
import { type Variables, Workplace } from './spawned-program.ts';

const CONFIGURATION = 'node.json';
const PLUGINS = fewPlugins('backup', 'transfer');

describe('the command "restored"', () => {
  let place: Workplace;
  beforeEach(() => {
    place = new Workplace();
    writeFileSync(place.path(CONFIGURATION), JSON.stringify({ plugins: PLUGINS }));
  });
  afterEach(() => place.dispose());

  /** Runs a command, and closes the store, which the driver would keep open until its statements are collected. */
  const run = async (argv: readonly string[], env: Variables = {}): Promise<CommandResult> => {
    const result = await place.run([...argv, '--config', CONFIGURATION], env);
    if (!place.isServing) await releaseFiles(place.folder);
    return result;
  };
  const headerOf = async (env: Variables = {}): Promise<Record<string, unknown>> =>
    JSON.parse((await run(['export'], env)).stdout.split('\n')[0] as string);

  /** Leaves a store with a fact, and a backup of it that was made while the node ran. */
  const makeBackup = async (): Promise<void> => {
    expect((await run(['init'])).exitCode).to.equal(0);
    const node = await place.serve(CONFIGURATION);
    writeFileSync(
      place.path('fact.jsonl'),
      JSON.stringify({ entity: 'user:noor', relation: 'x:n', value: { type: 'null', v: null }, source: 'agent:w' }),
    );
    const { stderr, exitCode } = await place.run([
      'import',
      'fact.jsonl',
      '--key-file',
      'data/admin.key',
      '--url',
      node.url,
    ]);
    expect(exitCode, stderr).to.equal(0);
    mkdirSync(place.path('backup'));
    const database = new DatabaseSync(place.path('data/svc.db'));
    database.exec(`VACUUM INTO '${place.path('backup/svc.db')}'`);
    database.close();
    copyFileSync(place.path('data/node.key'), place.path('backup/node.key'));
    await node.end();
    await releaseFiles(place.folder);
  };

  it('gives a restored file a new epoch, and leaves the identity and the keys of the node unchanged', async () => {
    await makeBackup();
    const before = await headerOf();
    rmSync(place.path('data'), { recursive: true });
    renameSync(place.path('backup'), place.path('data'));
    const { exitCode, stdout, stderr } = await run(['restored']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    expect((await run(['restored'])).exitCode, 'a second time').to.equal(0);
    expect(stdout).to.match(/^Store {6}.*svc\.db\nEpoch {6}a new one\nClock {6}from 20.*Z to 20.*Z\n$/);
    const after = await headerOf();
    expect((await run(['export'])).stderr).to.equal('1 fact exported from data/svc.db\n');
    expect(after['epoch']).not.to.equal(before['epoch']);
    expect(after['node_id']).to.equal(before['node_id']);
    expect((await run(['key', 'list'])).stdout).to.include('agent:admin');
  });

  it('warns of a clock that is ahead in words, as every command does', async () => {
    expect((await run(['init'])).exitCode).to.equal(0);
    const bound = { SVC_FEDERATION_HLC_MAX_FUTURE_SKEW_S: '3600' };
    expect((await run(['restored'], bound)).exitCode).to.equal(0);
    // Apart, because the warning goes to the log of the process.
    const { exitCode, stderr } = await place.runApart(['verify', '--config', CONFIGURATION]);
    expect(exitCode, stderr).to.equal(0);
    expect(stderr)
      .to.match(/^[0-9:.]+ WARN {2}clock_ahead: .* aheadMs=[0-9]+$/m)
      .and.not.to.contain('{"');
  });

  it('gives a restored database a new epoch, and advances its clock by the bound in the configuration', async () => {
    const database = await createTestDatabase();
    const env = { SVC_DATABASE_URL: database.url };
    expect((await run(['restored'], env)).exitCode, 'before there is anything').to.equal(1);
    await run(['init'], env);
    const before = await headerOf(env);
    const bound = { ...env, SVC_FEDERATION_HLC_MAX_FUTURE_SKEW_S: '10' };
    const { exitCode, stdout } = await run(['restored'], bound);
    expect(exitCode).to.equal(0);
    const aheadMs = Date.parse(stdout.slice(stdout.lastIndexOf(' to ') + 4).trim()) - Date.now();
    expect(aheadMs).to.be.within(-60_000, 10_000);
    expect(stdout).to.match(/^Store {6}postgres:.*\nEpoch {6}a new one\nClock {6}from 1970.*Z to 20.*Z\n$/);
    expect((await headerOf(env))['epoch']).not.to.equal(before['epoch']);
    await database.drop();
  });

  it('is refused without a store and for an invalid bound, and creates no store', async () => {
    const nothing = await run(['restored']);
    expect(nothing.exitCode).to.equal(1);
    expect(nothing.stderr).to.match(/^error: there is no store at .*data\/svc\.db\nhint: /);
    expect(existsSync(place.path('data'))).to.equal(false);
    const unread = await run(['restored'], { SVC_FEDERATION_HLC_MAX_FUTURE_SKEW_S: 'soon' });
    expect(unread.stderr).to.match(/^error: .*SVC_FEDERATION_HLC_MAX_FUTURE_SKEW_S accepts a whole number/);
  });
});
