import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { FEW_PLUGINS } from '../../kit/few-plugins.ts';
import { halfSent, refused } from './half-sent-request.ts';
import { curlLines, paste } from './pasted-lines.ts';
import { type RunningProgram, type Variables, Workplace } from './spawned-program.ts';

describe('the start command', () => {
  let place: Workplace;

  beforeEach(() => {
    place = new Workplace();
  });

  afterEach(() => place.dispose());

  const few = (): string[] => {
    writeFileSync(place.path('node.json'), JSON.stringify({ plugins: FEW_PLUGINS }));
    return ['--config', 'node.json'];
  };
  /** Starts a node that is ready in half the time, for a test of what no plugin changes. */
  const startFew = (env: Variables = {}): Promise<RunningProgram> => place.start(few(), env);
  const keyOnDisk = (): string => readFileSync(place.path('data/admin.key'), 'utf8').trim();
  const statusWith = async (url: string, key: string): Promise<number> =>
    (await fetch(`${url}/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status;

  describe('on an empty folder', () => {
    let folder: Workplace;
    // One node for the tests that only read what it prints and keeps.
    let node: RunningProgram;
    before(async () => {
      folder = new Workplace();
      node = await folder.start();
    });
    after(() => folder.dispose());

    it('prints two sample requests that work when pasted unchanged', async () => {
      const [assert = '', query = ''] = curlLines(node.greeting);
      const asserted = (await paste(assert)) as { id: string };
      const found = (await paste(query)) as { facts: { id: string }[]; total: number };

      expect(found.total).to.equal(1);
      expect(found.facts[0]?.id).to.equal(asserted.id);
    });

    it('says that the store is new, and prints its folder', async () => {
      expect(node.greeting).to.contain(`Store      data/svc.db (new)\nFolder     ${folder.path('data')}\n`);
    });

    it('prints the address of the console for a browser', async () => {
      const [page = ''] = node.greeting.split('\n').filter((line) => line.endsWith('/console/'));

      expect((await fetch(page)).headers.get('content-type')).to.contain('text/html');
    });

    it('quotes the path of the key for any folder name', async () => {
      const odd = place.path(`it's a "folder" $HOME`);
      mkdirSync(odd);
      const { greeting } = await startFew({ SVC_DB_PATH: `${odd}/svc.db` });
      const [assert = ''] = curlLines(greeting);

      expect(await paste(assert)).to.have.property('cid');
    });

    it('keeps the key in a file that only its owner can read, prints its path, and never prints the key', async () => {
      const { exitCode, stdout, stderr } = await node.end();
      const key = readFileSync(folder.path('data/admin.key'), 'utf8').trim();

      expect(statSync(folder.path('data/admin.key')).mode & 0o777).to.equal(0o600);
      for (const file of ['svc.db', 'node.key']) {
        expect(statSync(folder.path(`data/${file}`)).mode & 0o077, file).to.equal(0);
      }
      expect(stdout).to.contain('data/admin.key').and.to.contain(node.url);
      expect(stdout + stderr).not.to.contain(key);
      expect(readFileSync(folder.path('data/svc.db')).includes(key)).to.equal(false);
      expect(exitCode).to.equal(0);
    });

    it('writes only JSON lines to standard error', async () => {
      const { stderr } = await node.end();

      for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).to.be.an('object');
    });

    it('generates no key when the operator supplies the first one', async () => {
      const own = 'operator-0123456789abcdef0123456789abcdef';
      const { url } = await startFew({ SVC_BOOTSTRAP_KEY: own });

      expect(await statusWith(url, own)).to.equal(200);
      expect(existsSync(place.path('data/admin.key'))).to.equal(false);
    });
  });

  describe('the second time', () => {
    it('changes nothing in the folder and prints one line', async () => {
      await (await startFew()).end();
      const before = [keyOnDisk(), readdirSync(place.path('data')).filter(isDurable).sort().join()];
      const node = await startFew();

      expect(node.greeting.replace(/\d+ ms/, 'N ms')).to.equal(
        `Serving ${node.url}; existing store data/svc.db (folder ${place.path('data')}); ` +
          'the first key is in data/admin.key; ready in N ms\n',
      );
      expect([keyOnDisk(), readdirSync(place.path('data')).filter(isDurable).sort().join()]).to.deep.equal(before);
      expect(await statusWith(node.url, keyOnDisk())).to.equal(200);
      const { stdout } = await place.run(['key', 'list', '--json', '--config', 'node.json']);
      expect(stdout.trim().split('\n')).to.have.length(1);
    });

    it('registers the key on disk after a crash between writing the file and the store', async () => {
      mkdirSync(place.path('data'));
      writeFileSync(place.path('data/admin.key'), `${'c'.repeat(64)}\n`, { mode: 0o600 });
      const node = await startFew();

      expect(await statusWith(node.url, 'c'.repeat(64))).to.equal(200);
      expect(keyOnDisk()).to.equal('c'.repeat(64));
    });
  });

  it('writes its address into the data folder for commands, whose errors say which address they used and why', async () => {
    const node = await startFew();
    const env = { SVC_API_KEY: keyOnDisk() };
    const [found, elsewhere] = [
      await place.run(['query'], env),
      await place.run(['query'], { ...env, SVC_URL: REFUSING }),
    ];
    const keyless = await place.run(['query']);
    const refused = await place.run(['query'], { SVC_API_KEY: 'x'.repeat(64) });
    await node.end('SIGKILL');
    const away = await place.run(['query'], env);

    expect([found.exitCode, found.stderr]).to.deep.equal([0, 'No fact that you may see fits.\n']);
    expect(statSync(place.path('data/address')).mode & 0o777).to.equal(0o600);
    expect(elsewhere.stderr).to.contain(`error: no answer from ${REFUSING}, the address in SVC_URL\n`);
    expect(keyless.stderr).to.contain('hint: set SVC_API_KEY').and.not.to.contain('Authorization');
    expect(refused.stderr).to.match(
      /^error: the node refuses the key in SVC_API_KEY\nhint: set it to a key of this node/m,
    );
    expect(away.stderr).to.contain(`error: no answer from ${node.url}, the address in data/address\n`);
  });

  it('removes its address file when it stops, and leaves that of a node that still serves the store', async () => {
    const [first, second, third] = [await startFew(), await startFew(), await startFew()];
    const address = (): string => readFileSync(place.path('data/address'), 'utf8').trim();
    expect(address()).to.equal(third.url);
    await first.end();
    expect(address()).to.equal(third.url);
    await third.end();
    expect(address()).to.equal(second.url);
    await second.end();
    expect(existsSync(place.path('data/address'))).to.equal(false);
  });

  it('is found by commands through the data folder that only a configuration file names', async () => {
    const configuration = { plugins: FEW_PLUGINS, adapters: { store: { use: 'sqlite', path: 'kept/svc.db' } } };
    writeFileSync(place.path('node.json'), JSON.stringify(configuration));
    const node = await place.start(['--config', 'node.json']);
    const key = readFileSync(place.path('kept/admin.key'), 'utf8').trim();
    const found = await place.run(['query', '--config', 'node.json'], { SVC_API_KEY: key });
    await node.end('SIGKILL');
    const away = await place.run(['query', '--config', 'node.json'], { SVC_API_KEY: key });

    expect([found.exitCode, found.stderr]).to.deep.equal([0, 'No fact that you may see fits.\n']);
    expect(away.stderr).to.contain(`no answer from ${node.url}, the address in kept/address\n`);
  });

  it('leaves one key when several first starts run at the same time', async () => {
    const configuration = few();
    const runs = await Promise.all([1, 2, 3, 4].map(() => place.run(['init', ...configuration])));
    const { stdout } = await place.run(['key', 'list', '--json', ...configuration]);

    expect(runs.map(({ exitCode }) => exitCode)).to.deep.equal([0, 0, 0, 0]);
    expect(stdout.trim().split('\n')).to.have.length(1);
    const node = await place.serve('node.json');
    expect(await statusWith(node.url, keyOnDisk())).to.equal(200);
  });

  describe('on a signal', () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      it(`exits cleanly on ${signal}`, async () => {
        expect((await (await startFew()).end(signal)).exitCode).to.equal(0);
      });
    }

    it('lets a running request finish', async () => {
      const node = await startFew();
      const request = await halfSent(node.url, keyOnDisk());
      const ended = node.end();
      await refused(node.url);
      request.finish();

      expect(await request.answer).to.match(/^HTTP\/1\.1 201 /);
      expect((await ended).exitCode).to.equal(0);
    });

    it('lets a running request finish when one Ctrl-C arrives twice, as it does under npm', async () => {
      const node = await startFew();
      const request = await halfSent(node.url, keyOnDisk());
      const ended = node.end('SIGINT');
      node.child.kill('SIGINT');
      await refused(node.url);
      request.finish();

      expect(await request.answer).to.match(/^HTTP\/1\.1 201 /);
      expect((await ended).exitCode).to.equal(0);
    });

    it('exits at once on a second signal', async () => {
      const node = await startFew();
      const request = await halfSent(node.url, keyOnDisk());
      const ended = node.end();
      while (node.child.exitCode === null) {
        await refused(node.url);
        node.child.kill('SIGTERM');
      }

      expect((await ended).exitCode).to.equal(1);
      await request.answer;
    });
  });

  describe('when it cannot start', () => {
    it('refuses to serve other machines without keys, and prints a remedy', async () => {
      const env = { SVC_AUTH_REQUIRED: 'false', SVC_HOST: '0.0.0.0', SVC_PORT: '0' };
      const { exitCode, stdout, stderr } = await place.runApart(['start'], env);

      expect([exitCode, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.contain('SVC_HOST=127.0.0.1').and.not.to.contain('    at ');
      expect(readdirSync(place.folder)).to.deep.equal([]);
    });

    it('serves a loopback address without keys, and generates none', async () => {
      const node = await startFew({ SVC_AUTH_REQUIRED: 'false' });

      expect((await fetch(`${node.url}/v1/facts`)).status).to.equal(200);
      expect(node.greeting).to.match(
        /^Serving \S+; new store \S+ \(folder \S+\); no key is needed; ready in \d+ ms\n$/,
      );
      expect(existsSync(place.path('data/admin.key'))).to.equal(false);
    });

    it('names a port that is in use', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
      const { port } = other.address() as AddressInfo;
      const { exitCode, stderr } = await place.runApart(['start', ...few(), '--port', String(port)]);
      other.close();

      expect(exitCode).to.equal(1);
      expect(stderr)
        .to.contain(String(port))
        .and.to.contain('--port')
        .and.to.contain('SVC_PORT')
        .and.not.to.contain('    at ');
    });

    it('refuses an invalid port', async () => {
      const { exitCode, stderr } = await place.runApart(['start', '--port', '65536']);

      expect(exitCode).to.equal(1);
      expect(stderr).to.contain('from 0 to 65535');
    });
  });

  it('shows plugins, settings, routes, hooks and tables with --print, and creates nothing', async () => {
    const { exitCode, stdout } = await place.run(['start', '--print']);

    expect(exitCode).to.equal(0);
    expect(stdout)
      .to.match(/^Plugins\n/)
      .and.to.match(/\nSettings\n[\s\S]*\nRoutes\n[\s\S]*\nHooks\n[\s\S]*\nTables\n/);
    expect(stdout).to.match(/POST +\/v1\/facts +write +facts/);
    expect(readdirSync(place.folder)).to.deep.equal([]);
  });

  it('prepares the store and the key with "init" without serving, once', async () => {
    const configuration = few();
    const { exitCode, stdout } = await place.run(['init', ...configuration]);
    const key = keyOnDisk();
    const again = await place.run(['init', ...configuration]);

    expect([exitCode, again.exitCode]).to.deep.equal([0, 0]);
    expect(stdout).to.contain('data/svc.db').and.to.contain('data/admin.key');
    expect(again.stdout).not.to.contain('admin.key');
    expect(keyOnDisk()).to.equal(key);
    const node = await place.serve('node.json');
    expect(await statusWith(node.url, key)).to.equal(200);
  });
});

/** Nothing listens at the discard port. */
const REFUSING = 'http://127.0.0.1:9';

/** SQLite removes its auxiliary files (-wal, -shm), and the node its address, when they close. */
const isDurable = (name: string): boolean => !/-(wal|shm)$|^address$/.test(name);
