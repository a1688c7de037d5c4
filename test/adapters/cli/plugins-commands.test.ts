import { readdirSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { createTestDatabase } from '../../kit/postgres-server.ts';
import { Workplace } from './spawned-program.ts';

describe('the plugins commands', () => {
  let place: Workplace;

  before(() => {
    place = new Workplace();
    writeFileSync(place.path('less.json'), JSON.stringify({ plugins: { billing: false, keys: { maxAgeDays: 7 } } }));
  });

  after(() => place.dispose());

  it('list the plugins that are on and off', async () => {
    const { exitCode, stdout } = await place.run(['plugins', 'list', '--config', 'less.json']);

    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^on {3}facts +\S+ +\S/m);
    expect(stdout).to.match(/^off {2}billing +\S+ +\S/m);
  });

  it('list the plugins as JSON, one object per line', async () => {
    const { exitCode, stdout } = await place.run(['plugins', 'list', '--json', '--config', 'less.json']);
    expect(exitCode).to.equal(0);
    const plugins = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const [facts, billing] = ['facts', 'billing'].map((wanted) => plugins.find(({ name }) => name === wanted));
    expect(facts).to.include({ enabled: true }).and.to.have.all.keys('name', 'enabled', 'version', 'summary');
    expect(billing).to.include({ enabled: false });
  });

  it('describe settings with their variables and origins, and list routes, hooks and tables', async () => {
    const argv = ['plugins', 'describe', 'keys', '--config', 'less.json'];
    const { stdout } = await place.run(argv, {
      SVC_API_KEY_EXPIRING_SOON_DAYS: '3',
      SVC_BOOTSTRAP_KEY: 'x'.repeat(40),
    });

    expect(stdout).to.match(/maxAgeDays +SVC_API_KEY_MAX_AGE_DAYS +7 +file/);
    expect(stdout).to.match(/expiringSoonDays +SVC_API_KEY_EXPIRING_SOON_DAYS +3 +environment/);
    expect(stdout).to.contain('POST    /v1/auth/keys').and.to.contain('keys_api_keys');
    expect(stdout).not.to.contain('x'.repeat(40));
  });

  it('describe a plugin that is off as well', async () => {
    const { stdout } = await place.run(['plugins', 'describe', 'billing', '--config', 'less.json']);

    expect(stdout)
      .to.match(/^billing \S+, off\n/)
      .and.to.contain('/v1/admin/billing/events');
  });

  it('name the plugin that they do not know', async () => {
    const { exitCode, stderr } = await place.run(['plugins', 'describe', 'biling']);

    expect(exitCode).to.equal(1);
    expect(stderr).to.match(/^error: there is no plugin of this name\nhint: .*plugins list/);
  });

  it('report no problem with the default settings', async () => {
    const { exitCode, stdout } = await place.run(['plugins', 'doctor'], { SVC_PORT: '0' });

    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^No problem found; \d+ plugins on\.\n$/);
  });

  it('warn of a replica that serves no reads, and find no problem, because the node starts', async () => {
    const database = await createTestDatabase();
    try {
      const { exitCode, stdout } = await place.run(['plugins', 'doctor'], {
        SVC_PORT: '0',
        SVC_DATABASE_URL: database.url,
        SVC_DATABASE_REPLICA_URLS: 'postgres://svc:geheim@127.0.0.1:1/facts',
      });
      const [warning, hint, ...rest] = stdout.split('\n');
      expect(warning).to.match(
        /^warning: SVC_DATABASE_REPLICA_URLS: nothing listens .*127\.0\.0\.1:1\/facts serves no reads$/,
      );
      expect(hint).to.match(/^hint: .*SVC_DATABASE_REPLICA_URLS/);
      expect(rest.join('\n')).to.match(/^No problem found; \d+ plugins on\.\n$/);
      expect(exitCode).to.equal(0);
      expect(stdout).not.to.contain('geheim');
    } finally {
      await database.drop();
    }
  });

  it('report all problems at once, each with a remedy', async () => {
    const broken = {
      plugins: {
        keys: false,
        oauth: false,
        oidc: false,
        subscriptions: false,
        biling: true,
        facts: { speed: 9 },
        mine: { from: './mine.mjs' },
      },
    };
    writeFileSync(place.path('broken.json'), JSON.stringify(broken));
    const { exitCode, stdout } = await place.run(['plugins', 'doctor', '--config', 'broken.json'], {
      SVC_PORT: 'many',
    });

    expect(exitCode).to.equal(1);
    expect(stdout.match(/^\d+\. /gm)).to.have.length(5);
    for (const part of ['billing', 'SVC_PORT', 'SVC_AUTH_REQUIRED', 'plugins.facts.speed', './mine.mjs']) {
      expect(stdout).to.contain(part);
    }
    expect(stdout).not.to.contain('many').and.not.to.contain('    at ');
  });

  it('report a plugin whose setup fails', async () => {
    writeFileSync(
      place.path('broken.mjs'),
      `export const broken = { name: 'broken', version: '1.0.0', kernelApi: 1, setup() { throw new Error('no luck'); } };`,
    );
    writeFileSync(place.path('third.json'), JSON.stringify({ plugins: { broken: { from: './broken.mjs' } } }));
    const { exitCode, stdout } = await place.run(['plugins', 'doctor', '--config', 'third.json'], { SVC_PORT: '0' });

    expect(exitCode).to.equal(1);
    expect(stdout).to.equal(
      '1. broken failed in setup: no luck\n   hint: start with SVC_LOG_LEVEL=debug to see where\n',
    );
  });

  it('leave no files behind in the folder', () => {
    expect(readdirSync(place.folder).filter((name) => !/\.(json|mjs)$/.test(name))).to.deep.equal([]);
  });
});

describe('the command line', () => {
  let place: Workplace;

  before(() => {
    place = new Workplace();
  });

  after(() => place.dispose());

  it('prints its version', async () => {
    const { exitCode, stdout } = await place.run(['--version']);

    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^\d+\.\d+\.\d+(-[a-z0-9.]+)?\n$/);
  });

  for (const command of [
    [],
    ['start'],
    ['init'],
    ['key'],
    ['token'],
    ['rotate', 'node-key'],
    ['import'],
    ['plugins'],
  ]) {
    it(`explains "${['fact-memory-node', ...command].join(' ')}" with an example`, async () => {
      const { exitCode, stdout, stderr } = await place.run([...command, '--help']);

      expect([exitCode, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.match(/Examples?:\n {2}\S/);
    });
  }

  it('starts a node when no command is given, with the options of "start"', async () => {
    const { exitCode, stdout } = await place.run(['--print', '--port', '9000']);

    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/SVC_PORT +9000/);
  });

  it('shows its help and its version without starting anything', async () => {
    for (const flag of ['--help', '-h', '--version', '-V']) {
      const { exitCode, stdout } = await place.run([flag]);
      expect([exitCode, stdout.length > 3]).to.deep.equal([0, true]);
    }
    expect((await place.run(['--hepl'])).exitCode).to.equal(1);
  });

  it('lists the commands of every day first, in the order of their use', async () => {
    const { stdout } = await place.run(['--help']);
    const [, daily = ''] = /^Every day:\n((?: .*\n)+)/m.exec(stdout) ?? [];
    const names = daily.match(/^ {2}\w+/gm)?.map((name) => name.trim());
    expect(names).to.deep.equal(['recall', 'assert', 'query', 'correct', 'conflicts', 'resolve']);
  });

  it('suggests the intended command for a misspelled one', async () => {
    const { exitCode, stderr } = await place.run(['strat']);

    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('hint: did you mean start?');
  });

  it('names a configuration file that does not exist', async () => {
    const { exitCode, stderr } = await place.runApart(['start', '--config', 'none.json']);

    expect(exitCode).to.equal(1);
    expect(stderr).to.contain('none.json').and.not.to.contain('    at ');
  });
});
