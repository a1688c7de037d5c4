import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { validate } from 'dockerfile-utils';
import { declaredSettings } from '../../config/describe-settings.ts';
import { projectRoot } from '../architecture/source-files.ts';
import { freePort } from '../kit/free-port.ts';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';
import { type PackedPackage, packedPackage } from './packed-package.ts';
import { type Instruction, programOf, readDockerfile } from './read-dockerfile.ts';
import { startProgram } from './started-program.ts';

const runFile = promisify(execFile);
const read = (path: string): string => readFileSync(join(projectRoot(), path), 'utf8');

describe('the container image', function () {
  this.timeout(300_000);
  const text = read('Dockerfile');
  const instructions = readDockerfile(text);
  const last = instructions.findLastIndex(({ name }) => name === 'FROM');
  const served = instructions.slice(last);
  const only = (name: string, among: readonly Instruction[] = served): Instruction => {
    const found = among.filter((one) => one.name === name);
    if (found.length !== 1) throw new Error(`${found.length} instructions ${name} in the last stage`);
    return found[0] as Instruction;
  };
  const variables = (): Record<string, string> =>
    Object.fromEntries(
      only('ENV')
        .words.split(' ')
        .map((pair) => pair.split('=') as [string, string]),
    );

  it('has no finding of the Dockerfile linter', () => {
    expect(validate(text).map(({ message }) => message)).to.deep.equal([]);
    expect(validate(`${text}\nCMD ["a"]\nEXPOSE many`)).to.not.be.empty;
  });

  it('is built in stages, each from a tagged image, and its last stage installs nothing', () => {
    const images = instructions.filter(({ name }) => name === 'FROM').map(({ words }) => words);
    expect(images).to.have.length.above(1);
    for (const image of images) expect(image).to.match(/:\$\{NODE_VERSION\}-\w+-slim( AS \w+)?$/);
    const runs = served.filter(({ name }) => name === 'RUN').map(({ words }) => words);
    expect(runs.join(' ')).to.not.match(/npm|curl|wget|apt/);
    for (const { name, words } of instructions) {
      expect(name, 'sources from elsewhere').to.not.equal('ADD');
      if (name === 'RUN' && /npm ci/.test(words)) expect(words).to.contain('--ignore-scripts');
    }
    expect(instructions.some(({ name, words }) => name === 'RUN' && words.includes('npm ci --omit=dev'))).to.equal(
      true,
    );
  });

  it('runs as an unprivileged user, who owns the volume and no program file', () => {
    const at = (name: string): number => served.findIndex((one) => one.name === name);
    expect(only('USER').words).to.equal('node');
    expect(at('USER')).to.be.below(at('ENTRYPOINT'));
    expect(served.slice(at('USER')).some(({ name }) => name === 'COPY' || name === 'RUN')).to.equal(false);
    const volume = only('VOLUME').words;
    expect(volume).to.equal(`${only('WORKDIR').words}/data`);
    const made = served.find(({ name, words }) => name === 'RUN' && words.includes(volume));
    expect(made?.words).to.match(/install -d -o node -g node -m 700/);
    expect(served.filter(({ name }) => name === 'COPY').map(({ words }) => words)).to.satisfy((copies: string[]) =>
      copies.every((words) => words.startsWith('--from=') && !words.includes('--chown')),
    );
  });

  it('sets only variables that the node reads, and no secret', async () => {
    const known = new Set((await declaredSettings()).map(({ variable }) => variable));
    const set = Object.keys(variables());
    expect(set.filter((name) => name !== 'NODE_ENV' && !known.has(name))).to.deep.equal([]);
    expect(variables()).to.deep.include({ SVC_HOST: '0.0.0.0', SVC_PORT: only('EXPOSE').words });
    expect(text).to.not.match(/KEY=|PASSWORD=|SECRET=|TOKEN=/);
  });

  it('copies existing files, and excludes private ones from its build context', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const name of ['.git', 'node_modules', 'dist', 'data', '*.key', '*.db', '.env']) {
      expect(ignored).to.include(name);
    }
    for (const { name, words } of instructions) {
      if (name !== 'COPY' || words.includes('--from=')) continue;
      const sources = words.split(' ').slice(0, -1);
      for (const source of sources) {
        expect(existsSync(join(projectRoot(), source)), source).to.equal(true);
        expect(ignored, source).to.not.include(source);
      }
    }
  });

  it('installs the packages of the lock file, which matches the manifest', () =>
    inTemporaryFolder(async (folder) => {
      const stage = instructions.filter(({ name, words }) => name === 'COPY' && words.includes('package-lock.json'));
      expect(stage.length).to.be.above(1);
      for (const { words } of stage) expect(words).to.equal('package.json package-lock.json .npmrc ./');
      for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
        copyFileSync(join(projectRoot(), name), join(folder, name));
      }
      await runFile('npm', ['ci', '--omit=dev', '--ignore-scripts', '--dry-run', '--offline'], { cwd: folder });
    }));

  /** Maps a command of the image to the unpacked package on this machine. */
  const here = (words: readonly string[], packed: PackedPackage): string[] =>
    words.map((word) => word.replace(/^\/opt\/fact-memory-node/, packed.installed));

  it('starts by its own command, reports when it is healthy, and stops cleanly on SIGTERM', async () => {
    const packed = await packedPackage();
    await inTemporaryFolder(async (folder) => {
      const [, entry = '', ...more] = here([...programOf(only('ENTRYPOINT')), ...programOf(only('CMD'))], packed);
      const env = { ...variables(), SVC_PORT: String(await freePort()) };
      const [, ...check] = here(programOf(only('HEALTHCHECK')), packed);
      const isHealthy = () =>
        runFile(process.execPath, check, { env }).then(
          () => true,
          () => false,
        );
      const running = await startProgram([process.execPath, entry, ...more], { folder, env });
      try {
        expect(new URL(running.url).port).to.equal(env.SVC_PORT);
        expect(await isHealthy()).to.equal(true);
        expect(existsSync(join(folder, 'data/admin.key'))).to.equal(true);
        expect((await running.end('SIGTERM')).exitCode).to.equal(0);
      } finally {
        await running.end('SIGKILL');
      }
      expect(await isHealthy()).to.equal(false);
    });
  });
});
