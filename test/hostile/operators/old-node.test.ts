import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Simulates another version of Node.js in a module that is loaded before the program. */
const preload = (version: string): string =>
  `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
   Object.defineProperty(process, 'version', { value: 'v${version}' });`;

/** Copies only these files, so that the program fails if it loads any other file. */
const runAlone = (files: readonly string[], version: string, argv: readonly string[]) =>
  inTemporaryFolder(async (folder) => {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'version.cjs'), preload(version));
    for (const file of files) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      copyFileSync(join(ROOT, file), join(folder, file));
    }
    const before = readdirSync(folder, { recursive: true });
    const [main = ''] = files;
    const run = spawnSync(process.execPath, ['-r', './version.cjs', main, ...argv], { cwd: folder, encoding: 'utf8' });
    expect(readdirSync(folder, { recursive: true })).to.deep.equal(before);
    return run;
  });

const PROGRAM = ['dist/config/main.js', 'dist/config/required-node.mjs'];
const START = [
  'scripts/start.mjs',
  'scripts/build.mjs',
  'scripts/build-code-scanner.mjs',
  'scripts/build-console.mjs',
  'config/required-node.mjs',
];

describe('An operator starts the node with a Node.js that is too old (I22)', () => {
  for (const [name, files] of [
    ['the program', PROGRAM],
    ['"npm start"', START],
  ] as const) {
    for (const version of ['12.22.12', '18.20.8', '20.11.1']) {
      it(`${name} refuses ${version} before it loads anything else, and states the required version`, async () => {
        const { status, stdout, stderr } = await runAlone(files, version, ['start']);

        expect(stderr).to.match(
          /^error: fact-memory-node needs Node\.js 20\.12 or later, and this is [\d.]+\nhint: .+\n$/,
        );
        expect(stderr).to.contain(version);
        expect([status, stdout]).to.deep.equal([1, '']);
      });
    }
  }

  it('accepts every version that package.json permits, and no older one', async () => {
    const [, least = ''] = /^>=(\d+\.\d+)$/.exec(JSON.parse(textOf('package.json')).engines.node) ?? [];
    expect(textOf('config/required-node.mjs')).to.contain(`var REQUIRED = [${least.replace('.', ', ')}];`);
    for (const version of [`${least}.0`, '21.0.0', '22.3.1', '100.0.0']) {
      const { stderr } = await runAlone(PROGRAM, version, ['--version']);
      // The check has passed, and only the program itself is missing.
      expect(stderr, version).to.contain('ERR_MODULE_NOT_FOUND').and.not.to.contain('needs Node.js');
    }
  });

  it('uses only syntax and imports that every release with modules understands', () => {
    for (const file of PROGRAM) {
      const code = textOf(file).replace(/^(?:\/\/|#!).*$/gm, '');
      expect(code, file).not.to.match(/\?\.|\?\?|\bawait\b|=>|`|\b(?:const|let)\b|#[a-z]|\.\.\./);
      const imports = textOf(file).match(/^import .*$/gm) ?? [];
      expect(imports.filter((line) => line !== "import './required-node.mjs';")).to.deep.equal([]);
    }
    for (const file of START)
      expect(textOf(file), file).not.to.match(/^\s*await\b|\?\?|\?\.[a-z]|import \{.*\brmSync\b/m);
  });
});
