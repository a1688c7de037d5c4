import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import { restartPauseMs } from '../../../adapters/cli/worker-pool.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { FEW_PLUGINS, fewPlugins } from '../../kit/few-plugins.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { halfSent, refused } from './half-sent-request.ts';
import { type RunningProgram, Workplace } from './spawned-program.ts';
import { connectionsByPid, nextLines, pidAt, tellingWho } from './worker-answers.ts';

const WORKERS = 2;
const MORE_WORKERS = 3;
const LONGER_THAN_ONE_CTRL_C_MS = 1_000;
const ENDED = 'a worker ended and is started again';
/** Code of a plugin that prevents workers from starting while a certain file exists. */
const BREAKABLE = `const { existsSync } = await import('node:fs');
if (cluster.isWorker && existsSync('broken')) throw new Error('no luck');`;

describe('the start command with workers', () => {
  let place: Workplace;

  beforeEach(() => {
    place = new Workplace();
  });
  afterEach(() => place.dispose());

  const start = (more?: string, workers = WORKERS): Promise<RunningProgram> =>
    place.start([...tellingWho(place, more, FEW_PLUGINS), '--workers', String(workers)]);
  const run = (more?: string, workers = WORKERS) =>
    place.runApart(['start', ...tellingWho(place, more, FEW_PLUGINS)], { SVC_WORKERS: String(workers), SVC_PORT: '0' });
  const keyOnDisk = (): string => readFileSync(place.path('data/admin.key'), 'utf8').trim();
  const pidsAt = async (url: string, workers = WORKERS): Promise<number[]> => {
    const connections = await connectionsByPid(url, workers);
    for (const agent of connections.values()) agent.destroy();
    return [...connections.keys()];
  };
  const exists = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('generates one key and prints once where it serves', async () => {
    const startWithConsole = () =>
      place.start([...tellingWho(place, '', fewPlugins('console')), '--workers', String(WORKERS)]);
    const first = await startWithConsole();
    const { stdout } = await first.end();
    expect(stdout)
      .to.equal(first.greeting)
      .and.to.contain('data/admin.key')
      .and.to.contain(`Address    ${first.url}\n`);

    const second = await startWithConsole();
    expect(second.greeting.replace(/\d+ ms/, 'N ms')).to.equal(
      `Serving ${second.url}; existing store data/svc.db (folder ${place.path('data')}); ` +
        'the first key is in data/admin.key; ready in N ms\n',
    );
    expect((await second.end()).stdout).to.equal(second.greeting);
    const { stdout: keys } = await place.run(['key', 'list', '--json', '--config', 'node.json']);
    expect(keys.trim().split('\n')).to.have.length(1);
  });

  it('is a single process for one worker', async () => {
    const node = await place.start([...tellingWho(place, '', FEW_PLUGINS), '--workers', '1'], { SVC_WORKERS: '4' });

    expect(await pidAt(node.url)).to.equal(node.child.pid);
    expect((await node.end()).stderr).not.to.contain('"pid"');
  });

  it('warns once about a variable that nothing reads', async () => {
    const node = await place.start([...tellingWho(place, '', FEW_PLUGINS), '--workers', '2'], { SVC_PROT: '1' });

    expect((await node.end()).stderr.split('SVC_PROT')).to.have.length(2);
  });

  describe('on a signal', () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      it(`lets running requests finish on ${signal}, and leaves no process`, async () => {
        const node = await start();
        const pids = await pidsAt(node.url);
        const requests = await Promise.all(pids.map(() => halfSent(node.url, keyOnDisk())));
        const ended = node.end(signal);
        // A terminal sends the signal to every process of the program.
        for (const pid of pids) process.kill(pid, signal);
        await refused(node.url);
        for (const request of requests) request.finish();

        for (const { answer } of requests) expect(await answer).to.match(/^HTTP\/1\.1 201 /);
        expect((await ended).exitCode).to.equal(0);
        expect(pids.filter(exists)).to.deep.equal([]);
      });
    }

    it('treats repeated signals to a worker as one', async () => {
      const node = await start();
      const pids = await pidsAt(node.url);
      const requests = await Promise.all(pids.map(() => halfSent(node.url, keyOnDisk())));
      const ended = node.end();
      await refused(node.url);
      const since = performance.now();
      await comesTrue(() => {
        for (const pid of pids) process.kill(pid, 'SIGTERM');
        return performance.now() - since > LONGER_THAN_ONE_CTRL_C_MS;
      });
      for (const request of requests) request.finish();

      for (const { answer } of requests) expect(await answer).to.match(/^HTTP\/1\.1 201 /);
      expect((await ended).exitCode).to.equal(0);
    });

    it('ends all processes at once on a second signal', async () => {
      const node = await start();
      const pids = await pidsAt(node.url);
      const requests = await Promise.all(pids.map(() => halfSent(node.url, keyOnDisk())));
      const ended = node.end();
      while (node.child.exitCode === null) {
        await refused(node.url);
        node.child.kill('SIGTERM');
      }

      for (const request of requests) request.finish();

      for (const { answer } of requests) expect(await answer).to.equal('');
      expect((await ended).exitCode).to.equal(1);
    });
  });

  it('lets the workers drain and end when the supervisor is killed', async () => {
    const node = await start();
    const request = await halfSent(node.url, keyOnDisk());
    const ended = node.end('SIGKILL');
    await refused(node.url);
    request.finish();

    expect(await request.answer).to.match(/^HTTP\/1\.1 201 /);
    // The workers inherit its output, so the output ends with the last worker.
    await ended;
  });

  describe('of which some end', () => {
    let shared: Workplace;
    let node: RunningProgram;
    before(async () => {
      shared = new Workplace();
      node = await shared.start([...tellingWho(shared, BREAKABLE, FEW_PLUGINS), '--workers', String(MORE_WORKERS)]);
    });
    after(async () => {
      const { exitCode } = await node.end();
      await shared.dispose();
      expect(exitCode).to.equal(0);
    });

    it('keeps trying while one worker serves, and logs the reason why others cannot start', async () => {
      const before = await pidsAt(node.url, MORE_WORKERS);
      writeFileSync(shared.path('broken'), '');
      const noticed = nextLines(node, ENDED, 2 * (MORE_WORKERS - 1));
      for (const pid of before.slice(1)) process.kill(pid, 'SIGKILL');
      const second = (await noticed).slice(MORE_WORKERS - 1);
      rmSync(shared.path('broken'));

      for (const line of second) expect(line['reason']).to.contain('no luck');
      expect(second.map((line) => line['restartInMs'])).to.deep.equal(second.map(() => 500));
      await comesTrue(async () => !before.includes(await pidAt(node.url)));
    });

    it('replaces a worker that received a signal to end', async () => {
      const before = await pidsAt(node.url, MORE_WORKERS);
      const noticed = nextLines(node, ENDED, 1);
      process.kill(before[0] ?? 0, 'SIGTERM');

      expect((await noticed)[0]).to.include({ pid: before[0], exitCode: 0, level: 'warn' });
      await comesTrue(async () => !before.includes(await pidAt(node.url)));
    });

    it('serves or closes each new connection when the worker that should accept it is killed', async () => {
      const [victim = 0, ...others] = await pidsAt(node.url, MORE_WORKERS);
      process.kill(victim, 'SIGSTOP');
      // The supervisor hands one of these connections to the suspended worker.
      const answers = Array.from({ length: 2 * MORE_WORKERS }, () =>
        pidAt(node.url).catch(() => 'the connection ended'),
      );
      const served = await Promise.any(answers);
      expect(served).to.be.oneOf(others);
      process.kill(victim, 'SIGKILL');

      const outcomes = await Promise.all(answers);
      expect(outcomes.filter((outcome) => others.some((pid) => pid === outcome)).length).to.be.at.least(
        2 * others.length,
      );
      for (const outcome of outcomes) expect(outcome).not.to.equal(victim);
    });
  });

  it('exits with the reason when no worker serves and none can be started', async () => {
    const node = await start(BREAKABLE);
    const before = await pidsAt(node.url);
    writeFileSync(place.path('broken'), '');
    for (const pid of before) process.kill(pid, 'SIGKILL');
    // SIGCONT ends no process, so the node exits by itself.
    const { exitCode, stderr } = await node.end('SIGCONT');

    expect(exitCode).to.equal(1);
    expect(stderr.match(/^error: .*no luck/gm)).to.have.length(1);
  });

  describe('when it cannot start', () => {
    it('names a port that is in use, once', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => other.once('listening', resolve));
      const { port } = other.address() as AddressInfo;
      const few = tellingWho(place, '', FEW_PLUGINS);
      const argv = ['start', ...few, '--port', String(port), '--workers', '2'];
      const { exitCode, stdout, stderr } = await place.runApart(argv);
      other.close();

      expect([exitCode, stdout]).to.deep.equal([1, '']);
      const told = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
      expect(told).to.have.length(2);
      expect(told[0]).to.contain(`127.0.0.1:${port}`).and.to.contain('EADDRINUSE');
      expect(told[1]).to.match(/^hint: /);
    });

    it('prints once why the store cannot be opened, and starts no worker', async () => {
      writeFileSync(place.path('file'), '');
      const env = { SVC_WORKERS: '2', SVC_PORT: '0', SVC_DB_PATH: 'file/node.db' };
      const { exitCode, stderr } = await place.runApart(['start'], env);

      expect(exitCode).to.equal(1);
      expect(stderr.match(/^error: /gm)).to.have.length(1);
      expect(stderr).not.to.contain('"pid"');
    });

    it('prints once why no worker can start', async () => {
      const { exitCode, stdout, stderr } = await run("if (cluster.isWorker) throw new Error('not in a worker');");

      expect([exitCode, stdout]).to.deep.equal([1, '']);
      expect(stderr.match(/not in a worker/g)).to.have.length(1);
    });

    it('gives up when one worker after another exits without a message', async () => {
      const { exitCode, stdout, stderr } = await run('if (cluster.isWorker) process.exit(3);');

      expect([exitCode, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.contain('error: 5 workers in a row ended').and.to.contain('\nhint: ');
      expect(stderr.match(/"exitCode":3/g)).to.have.length(4);
    });

    it('reports that it serves only when all workers do', async () => {
      const { exitCode, stdout } = await run('if (cluster.worker?.id > 1) process.exit(3);', 4);

      expect([exitCode, stdout]).to.deep.equal([1, '']);
    });

    it('refuses an invalid number of workers', async () => {
      const flag = await place.runApart(['start', '--workers', '0']);
      expect([flag.exitCode, flag.stdout]).to.deep.equal([1, '']);
      expect(flag.stderr).to.contain("'--workers <number>'").and.to.contain('or auto');
      const variable = await place.runApart(['start'], { SVC_WORKERS: '65' });
      expect([variable.exitCode, variable.stdout]).to.deep.equal([1, '']);
      expect(variable.stderr).to.contain('SVC_WORKERS accepts a whole number from 1 to 64 or auto');
    });
  });

  it('waits longer before each consecutive restart, up to a limit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), (ends) => {
        expect(restartPauseMs(ends)).to.be.within(250, 5_000);
        expect(restartPauseMs(ends + 1)).to.be.at.least(restartPauseMs(ends));
      }),
      { numRuns: RUNS },
    );
    expect([1, 2, 3, 4, 5, 6].map(restartPauseMs)).to.deep.equal([250, 500, 1_000, 2_000, 4_000, 5_000]);
  });
});
