import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { projectRoot } from '../architecture/source-files.ts';
import { inTemporaryFolder } from '../kit/temporary-folder.ts';

const runFile = promisify(execFile);
const VERSION = (JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')) as { version: string }).version;
const TARBALL = `fact-memory-node-${VERSION}.tgz`;
const SBOM = `fact-memory-node-${VERSION}.cdx.json`;
const LISTINGS = [
  'server.json',
  `fact-memory-${VERSION}.mcpb`,
  `fact-memory-agents-${VERSION}.zip`,
  `fact-memory-opencode-${VERSION}.js`,
];
const PYTHON_VERSION = /^version = "(.+)"$/m.exec(
  readFileSync(join(projectRoot(), 'client/python/pyproject.toml'), 'utf8'),
);
const WHEEL = `fact_memory-${PYTHON_VERSION?.[1]}-py3-none-any.whl`;
/**
 * The release script and the files that it packs. The program itself is omitted, because only these files matter here.
 */
const SOURCES = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  '.gitignore',
  'LICENSE',
  'NOTICE',
  'README.md',
  'scripts',
  'config',
  'packaging',
  'client/python/LICENSE',
  'client/python/NOTICE',
  'client/python/README.md',
  'client/python/pyproject.toml',
  'client/python/test-versions.txt',
  'client/python/scripts',
  'client/python/src',
];
/** Compiled parts from which the script makes files. They are links, which npm does not pack. */
const COMPILED = ['dist/plugins', 'dist/config/programs'];

interface Component {
  readonly name: string;
  readonly version: string;
  readonly hashes?: readonly { readonly alg: string }[];
}

interface Sbom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

describe('a release', function () {
  this.timeout(180_000);

  /** Creates a repository with one commit, and runs `work` in it. */
  const inRepository = (work: (folder: string, release: (to: string) => Promise<string>) => Promise<void>) =>
    inTemporaryFolder(async (parent) => {
      const folder = join(parent, 'any-name');
      mkdirSync(folder);
      for (const name of SOURCES) cpSync(join(projectRoot(), name), join(folder, name), { recursive: true });
      mkdirSync(join(folder, 'dist/config'), { recursive: true });
      writeFileSync(join(folder, 'dist/config/main.js'), '#!/usr/bin/env node\n');
      for (const name of ['node_modules', ...COMPILED]) symlinkSync(join(projectRoot(), name), join(folder, name));
      writeFileSync(join(folder, '.gitignore'), 'node_modules\ndist/\n.build/\n__pycache__/\n_sync/\n');
      const git = (...args: string[]) =>
        runFile('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], { cwd: folder });
      await git('init', '--quiet');
      await git('add', '--all');
      await git('commit', '--quiet', '--message', 'All');
      await work(folder, async (to) => {
        const script = join(folder, 'scripts/release.mjs');
        return (await runFile(process.execPath, [script, to, '--built'], { cwd: folder })).stderr;
      });
    });

  it('contains the tarball, a wheel, an SBOM, files for other programs, and checksums, identical for the same commit', () =>
    inRepository(async (folder, release) => {
      const [first, second] = [join(folder, '../first'), join(folder, '../second')];
      const said = await release(first);
      await release(second);
      // A machine without Python, or without a registry, makes no wheel, and says so.
      const hasNoWheel = /^This release has no wheel: a wheel needs Python/m.test(said);
      const made = [SBOM, TARBALL, ...LISTINGS, ...(hasNoWheel ? [] : [WHEEL])];
      expect(readdirSync(first).sort()).to.deep.equal([...made, 'SHA256SUMS'].sort());
      const check = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: first, encoding: 'utf8' });
      expect([check.status, check.stdout.match(/: OK$/gm)?.length]).to.deep.equal([0, made.length]);
      for (const name of readdirSync(first)) {
        expect(readFileSync(join(first, name)).equals(readFileSync(join(second, name))), name).to.equal(true);
      }

      const sbom = JSON.parse(readFileSync(join(first, SBOM), 'utf8')) as Sbom;
      expect([sbom.bomFormat, sbom.metadata.component.name]).to.deep.equal(['CycloneDX', 'fact-memory-node']);
      const { dependencies, devDependencies } = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      ) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
      const named = sbom.components.map(({ name }) => name);
      expect(named).to.include.members(Object.keys(dependencies));
      for (const name of ['mocha', 'chai', 'typescript', 'esbuild']) {
        expect([name in devDependencies, named.includes(name)], name).to.deep.equal([true, false]);
      }
      for (const { name, hashes } of sbom.components) expect(hashes?.[0]?.alg, name).to.equal('SHA-512');
    }));

  it('is refused with uncommitted sources, and into a folder that is not empty', () =>
    inRepository(async (folder, release) => {
      const into = join(folder, '../taken');
      mkdirSync(into);
      writeFileSync(join(into, 'mine.txt'), 'mine');
      const refusal = (to: string) => release(to).then(String, (error: { stderr: string }) => error.stderr);
      expect(await refusal(into)).to.match(/not empty/);
      writeFileSync(join(folder, 'README.md'), 'changed');
      expect(await refusal(join(folder, '../other'))).to.match(/not committed/);
      expect(existsSync(join(folder, '../other'))).to.equal(false);
    }));
});
