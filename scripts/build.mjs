// Compiles the sources into dist/. `--if-needed` does nothing when dist/ was built from exactly these sources.
import '../config/required-node.mjs';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCodeScanner } from './build-code-scanner.mjs';
import { buildConsole } from './build-console.mjs';

// Not imported by name: an old Node.js that lacks one of them would not come to the check of its version.
const { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } = fs;
const { writeFileSync } = fs;
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.built-from');
const COMPILER = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const INPUTS = ['package.json', 'package-lock.json', 'tsconfig.json', 'scripts/build.mjs', 'scripts/build-code-scanner.mjs', 'scripts/build-console.mjs'];

/** Builds unless `dist/` is up to date and `ifNeeded` says to look. Returns false when the compiler found errors. */
export const build = ({ ifNeeded }) => {
  const sources = listSources();
  const state = stateOf(sources);
  if (ifNeeded && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === state) return true;
  if (!existsSync(COMPILER)) {
    console.error('The compiler is not installed. Run "npm ci" (without --omit=dev) and try again.');
    return false;
  }
  if (ifNeeded) console.error('Building ...');
  // A file whose source is gone would still be found by the tests and by imports, so every build starts empty.
  rmSync(DIST, { recursive: true, force: true });
  const compiler = spawnSync(process.execPath, [COMPILER, '-p', 'tsconfig.json', '--noEmitOnError', '--incremental', 'false'], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
  });
  if (compiler.status !== 0 || !buildCodeScanner(DIST) || !buildConsole(DIST)) return false;
  for (const source of sources) if (isAsset(source)) copyAsset(source);
  // In a checkout `npx svc` runs it as it is.
  chmodSync(join(DIST, 'config', 'main.js'), 0o755);
  // Last, so that an interrupted build is never taken for a finished one.
  writeFileSync(STAMP, state);
  return true;
};

/** Source files as paths relative to the root, sorted. */
const listSources = () => {
  const { include } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'));
  const found = [...INPUTS];
  for (const folder of include) {
    if (!existsSync(join(ROOT, folder))) continue;
    for (const entry of readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      // Packages that some tests install separately are no sources.
      if (entry.parentPath.split(sep).includes('node_modules')) continue;
      if (entry.isFile()) found.push(join(entry.parentPath, entry.name).slice(ROOT.length + 1));
    }
  }
  return found.sort();
};

const stateOf = (sources) => {
  const hash = createHash('sha256').update(process.version);
  for (const source of sources) {
    const { size, mtimeMs } = statSync(join(ROOT, source));
    hash.update(`${source}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest('hex');
};

/** The console's application is bundled. */
const APPLICATION = join('plugins', 'console', 'app') + sep;

const isAsset = (source) =>
  !INPUTS.includes(source) && !/\.(ts|md)$/.test(source) && !source.startsWith(APPLICATION);

const copyAsset = (source) => {
  const target = join(DIST, source);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(ROOT, source), target);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = build({ ifNeeded: process.argv.includes('--if-needed') }) ? 0 : 1;
}
