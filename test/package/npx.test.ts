import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { cacheBeside, NO_REGISTRY } from './npm-cache.ts';
import { type PackedPackage, packedPackage } from './packed-package.ts';
import { type StartedProgram, startProgram } from './started-program.ts';

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
  let running: StartedProgram | undefined;

  /**
   * Uses npx, which installs the package, and keeps the path on which its programs lie. A second use would read the
   * package and its dependencies again, which takes as long as the rest of these tests.
   */
  const startFirst = async (): Promise<void> => {
    const started = 'printf %s "$PATH" > "$1" && exec fact-memory-node';
    running = await startProgram([...npx, 'sh', '-c', started, 'sh', join(place, 'path')], { folder, env });
  };

  before(async () => {
    packed = await packedPackage();
    place = mkdtempSync(join(tmpdir(), 'npx-'));
    folder = join(place, 'empty');
    mkdirSync(folder);
    env = {
      ...settingsOfNpm(),
      npm_config_cache: await cacheBeside(place),
      npm_config_update_notifier: 'false',
      SVC_PORT: '0',
    };
    npx = ['npx', '--yes', '--prefer-offline', '--ignore-scripts', `--package=${packed.tarball}`, '--'];
    const failure = await startFirst().catch((error: Error) => error);
    if (failure === undefined) return;
    if (!NO_REGISTRY.test(failure.message)) throw failure;
    console.log('      npm reaches no registry here: the programs are taken from the unpacked tarball instead');
    folder = join(packed.folder, 'empty');
    mkdirSync(folder);
    npx = ['npx', '--no', '--'];
    await startFirst();
  });
  afterEach(async () => {
    await running?.end('SIGKILL');
    running = undefined;
  });
  after(() => rmSync(place, { recursive: true, force: true }));

  const keyHeader = () => ({ Authorization: `Bearer ${readFileSync(join(folder, 'data/admin.key'), 'utf8').trim()}` });

  it('starts a node without arguments, which replies, stops on Ctrl-C and creates nothing but its data folder', async () => {
    const { greeting, url, end } = running as StartedProgram;
    expect(greeting).to.contain('Ctrl-C stops the node').and.to.contain('curl');
    const stored = await fetch(`${url}/v1/facts`, {
      method: 'POST',
      headers: { ...keyHeader(), 'Content-Type': 'application/json' },
      body: JSON.stringify(FACT),
    });
    expect(stored.status).to.equal(201);
    const { stderr } = await end('SIGINT');
    running = undefined;
    expect(stderr)
      .to.contain('"stopped"')
      .and.to.not.match(/"level":"(warn|error)"|cut off/);
    expect(existsSync(join(folder, 'data/svc.db'))).to.equal(true);
    expect(existsSync(join(folder, 'node_modules'))).to.equal(false);
  });

  it('shows the help of both names without starting anything, and continues under the shorter one', async () => {
    const [elsewhere, help] = [join(place, 'elsewhere'), join(place, 'help')];
    mkdirSync(elsewhere);
    const asked = `(cd "$1" && fact-memory-node --help && echo and && svc --help) > "$2" && exec svc start`;
    const ofNpx = { ...env, PATH: readFileSync(join(place, 'path'), 'utf8') };
    running = await startProgram(['sh', '-c', asked, 'sh', elsewhere, help], { folder, env: ofNpx });
    expect(readdirSync(elsewhere), 'nothing was started').to.deep.equal([]);
    const told = readFileSync(help, 'utf8').split(/^and$/m);
    expect(told).to.have.length(2);
    for (const one of told) expect(one.replaceAll(/\s+/g, ' ')).to.contain('Without a command it starts a node');

    expect(running.greeting).to.match(/^Serving /);
    const found = await fetch(`${running.url}/v1/facts?entity=user:alice`, { headers: keyHeader() });
    const { facts } = (await found.json()) as { facts: { value: { v: string } }[] };
    expect(facts.map(({ value }) => value.v)).to.deep.equal(['CEO']);
  });
});

/** The variables by which npm finds its registry, without those of a node. */
const settingsOfNpm = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')));
