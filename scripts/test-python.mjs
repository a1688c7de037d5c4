/**
 * `npm run test:python`: installs the wheel of the Python client and the packages of its tests into
 * `client/python/.venv`, checks its types, and runs its tests against this node. PYTHON names another interpreter than
 * `python3`.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../client/python', import.meta.url));
const MIN_VERSION = [3, 10];
/** The exit code of a machine that cannot install, for example without a registry. */
const NOT_INSTALLED = 75;
/** Exact versions, so that a release of another project fails no test here. */
const VERSIONS = ['--constraint', 'test-versions.txt'];
const PYTHON = process.env['PYTHON'] ?? 'python3';

const found = spawnSync(PYTHON, ['-c', 'import sys, venv; print(*sys.version_info[:2])'], { encoding: 'utf8' });
const [major = 0, minor = 0] = (found.stdout ?? '').trim().split(' ').map(Number);
if (major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1])) {
  console.error(`the tests of the Python client need Python ${MIN_VERSION.join('.')} or later with venv; "${PYTHON}" is not one`);
  process.exit(1);
}

const bin = join(FOLDER, '.venv', process.platform === 'win32' ? 'Scripts' : 'bin');
const run = (program, ...args) => execFileSync(program, args, { cwd: FOLDER, stdio: 'inherit' });
try {
  if (!existsSync(bin)) run(PYTHON, '-m', 'venv', '.venv');
  run(join(bin, 'pip'), 'install', '--quiet', '--disable-pip-version-check', ...VERSIONS, '.[test]');
} catch {
  console.error('the tests of the Python client are left out, because they could not be installed');
  process.exit(NOT_INSTALLED);
}
const exitCode = (program) =>
  new Promise((resolve) => {
    spawn(join(bin, program), { cwd: FOLDER, stdio: 'inherit' }).on('exit', (code) => resolve(code ?? 1));
  });
process.exitCode = Math.max(...(await Promise.all(['mypy', 'pytest'].map(exitCode))));
