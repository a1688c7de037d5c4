import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { cacheBeside, NO_REGISTRY } from './npm-cache.ts';
import { type PackedPackage, packedPackage } from './packed-package.ts';
import { type StartedProgram, startProgram } from './started-program.ts';

const runFile = promisify(execFile);

const FACT = {
  entity: 'user:alice',
  relation: 'memory:role',
  value: { type: 'string', v: 'CEO' },
  source: 'agent:me',
};

describe('npx from an empty folder', function () {
  this.timeout(600_000);
  let packed: PackedPackage;
  let place: string;
  let folder: string;
  let env: Record<string, string>;
  /** The command of a user, up to the name of the program. */
  let npx: readonly [string, ...string[]];
  /** The help of both names of the program. */
  let help: string;
  let running: StartedProgram | undefined;

  /** The first use of npx, which installs the package. Each use reads the package and its dependencies again. */
  const readHelp = async (): Promise<void> => {
    const [command, ...args] = npx;
    const both = 'fact-memory-node --help && echo and && svc --help';
    const options = { cwd: folder, env: { ...process.env, ...env } };
    help = (await runFile(command, [...args, 'sh', '-c', both], options)).stdout;
    expect(readdirSync(folder), 'nothing was started').to.deep.equal([]);
  };

  before(async () => {
    packed = await packedPackage();
    place = mkdtempSync(join(tmpdir(), 'npx-'));
    folder = join(place, 'empty');
    mkdirSync(folder);
    env = { npm_config_cache: await cacheBeside(place), npm_config_update_notifier: 'false', SVC_PORT: '0' };
    npx = ['npx', '--yes', '--prefer-offline', '--ignore-scripts', `--package=${packed.tarball}`, '--'];
    const failure = await readHelp().catch((error: Error) => error);
    if (failure === undefined) return;
    if (!NO_REGISTRY.test(failure.message)) throw failure;
    console.log('      npm reaches no registry here: the programs are taken from the unpacked tarball instead');
    folder = join(packed.folder, 'empty');
    mkdirSync(folder);
    npx = ['npx', '--no', '--'];
    await readHelp();
  });
  afterEach(async () => {
    await running?.end('SIGKILL');
    running = undefined;
  });
  after(() => rmSync(place, { recursive: true, force: true }));

  const keyHeader = () => ({ Authorization: `Bearer ${readFileSync(join(folder, 'data/admin.key'), 'utf8').trim()}` });

  it('starts a node without arguments, which replies, stops on Ctrl-C and creates nothing but its data folder', async () => {
    running = await startProgram([...npx, 'fact-memory-node'], { folder, env });
    expect(running.greeting).to.contain('Ctrl-C stops the node').and.to.contain('curl');
    const stored = await fetch(`${running.url}/v1/facts`, {
      method: 'POST',
      headers: { ...keyHeader(), 'Content-Type': 'application/json' },
      body: JSON.stringify(FACT),
    });
    expect(stored.status).to.equal(201);
    const { stderr } = await running.end('SIGINT');
    running = undefined;
    expect(stderr)
      .to.contain('"stopped"')
      .and.to.not.match(/"level":"(warn|error)"|cut off/);
    expect(existsSync(join(folder, 'data/svc.db'))).to.equal(true);
    expect(existsSync(join(folder, 'node_modules'))).to.equal(false);
  });

  it('continues under the shorter name with the same store', async () => {
    running = await startProgram([...npx, 'svc', 'start'], { folder, env });
    expect(running.greeting).to.match(/^Serving /);
    const found = await fetch(`${running.url}/v1/facts?entity=user:alice`, { headers: keyHeader() });
    const { facts } = (await found.json()) as { facts: { value: { v: string } }[] };
    expect(facts.map(({ value }) => value.v)).to.deep.equal(['CEO']);
  });

  it('shows the help of both names without starting anything', () => {
    const told = help.split(/^and$/m).map((one) => one.replaceAll(/\s+/g, ' '));
    expect(told).to.have.length(2);
    for (const one of told) expect(one).to.contain('Without a command it starts a node');
  });
});
