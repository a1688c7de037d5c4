// Compiles the sources into dist/. `--if-needed` does nothing when dist/ was built from exactly these sources, and
// `--if-possible` does nothing without the compiler. npm runs `prepare` with both at the end of `npm ci`, and before
// `npx` links the programs of a checkout: it links once, and never links a program that is missing then.
import '../config/required-node.mjs';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCodeScanner } from './build-code-scanner.mjs';
import { buildConsole } from './build-console.mjs';

// Imports the module as a whole, because named imports that an old Node.js lacks would fail before the check of its
// version.
const { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } = fs;
const { writeFileSync } = fs;
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.built-from');
const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const BUNDLER = join(ROOT, 'scripts', 'bundle-program.mjs');
const SCRIPTS = ['build', 'build-code-scanner', 'build-console', 'bundle-program'].map((name) => `scripts/${name}.mjs`);
/** A page that the console shows. */
const GLOSSARY = 'docs/concepts/glossary.md';
const INPUTS = ['package.json', 'package-lock.json', 'tsconfig.json', GLOSSARY, ...SCRIPTS];

/** Builds, unless `ifNeeded` is true and `dist/` is up to date. Returns false when the compiler found errors. */
export const build = ({ ifNeeded }) => {
  const sources = listSources();
  const state = stateOf(sources);
  if (ifNeeded && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === state) return true;
  if (!existsSync(COMPILER)) {
    console.error('The compiler is not installed. Run "npm ci" (without --omit=dev) and try again.');
    return false;
  }
  if (ifNeeded) console.error('Building, about 20 s; only the first time and after changes ...');
  // Empties the folder first, because tests and imports would still find files whose source is gone.
  rmSync(DIST, { recursive: true, force: true });
  const compiler = spawnSync(process.execPath, [COMPILER, '-p', 'tsconfig.json', '--noEmitOnError', '--incremental', 'false'], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
  });
  if (compiler.status !== 0 || !buildCodeScanner(DIST) || !buildConsole(DIST)) return false;
  for (const source of sources) if (isAsset(source)) copyAsset(source);
  if (spawnSync(process.execPath, [BUNDLER], { stdio: ['ignore', 2, 2] }).status !== 0) return false;
  // Makes the program executable, because `npx svc` in a checkout runs this file.
  chmodSync(join(DIST, 'config', 'main.js'), 0o755);
  // Writes the stamp last, so that an interrupted build never counts as complete.
  writeFileSync(STAMP, state);
  return true;
};

/** Returns the source files as sorted paths relative to the root. */
const listSources = () => {
  const { include } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'));
  const found = [...INPUTS];
  for (const folder of include) {
    if (!existsSync(join(ROOT, folder))) continue;
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      if (entry.parentPath.split(sep).some((name) => APART.has(name))) continue;
      if (entry.isFile()) found.push(join(entry.parentPath, entry.name).slice(ROOT.length + 1));
    }
  }
  return found.sort();
};

/** Folders of packages that some tests install separately, and of the client in another language. */
const APART = new Set(['node_modules', 'python']);

const stateOf = (sources) => {
  const hash = createHash('sha256').update(process.version);
  for (const source of sources) {
    const { size, mtimeMs } = statSync(join(ROOT, source));
    hash.update(`${source}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
};

/** The source folder of the console's application, which is bundled instead of compiled. */
const APPLICATION = join('plugins', 'console', 'app') + sep;

const isAsset = (source) =>
  !INPUTS.includes(source) && !/\.(ts|md)$/.test(source) && !source.startsWith(APPLICATION);

const copyAsset = (source) => {
  const target = join(DIST, source);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(ROOT, source), target);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isAsked = (option) => process.argv.includes(option);
  if (!isAsked('--if-possible') || existsSync(COMPILER)) {
    process.exitCode = build({ ifNeeded: isAsked('--if-needed') }) ? 0 : 1;
  }
}
