import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(ROOT, 'client/python');
/** Kept between releases, because an installation takes longer than the build. */
const TOOLS = join(ROOT, '.build/wheel-tools');
const PYTHON = process.env.PYTHON ?? 'python3';
const NEEDED = 'a wheel needs Python 3.10 or later with venv, and a registry that pip reaches';

/**
 * Builds the wheel of the Python client into the folder. The same sources and time always give the same file, because
 * the version of the build tool is fixed. Returns the name of the file, or why there is none.
 */
export const buildWheel = (folder, time) => {
  const bin = join(TOOLS, process.platform === 'win32' ? 'Scripts' : 'bin');
  const python = join(bin, 'python');
  const run = (program, ...args) =>
    spawnSync(program, args, {
      cwd: SOURCES,
      encoding: 'utf8',
      env: { ...process.env, SOURCE_DATE_EPOCH: String(Math.floor(time.getTime() / 1_000)) },
    });
  const fails = ({ status }) => status !== 0;
  if (fails(run(PYTHON, '-c', 'import sys, venv; sys.exit(sys.version_info < (3, 10))'))) return { missing: NEEDED };
  if (!existsSync(python) && fails(run(PYTHON, '-m', 'venv', TOOLS))) return { missing: NEEDED };
  const install = ['install', '--quiet', '--disable-pip-version-check', '--retries', '1', '--constraint'];
  if (fails(run(python, '-m', 'pip', ...install, 'test-versions.txt', 'hatchling'))) return { missing: NEEDED };
  const built = run(python, '-m', 'hatchling', 'build', '--target', 'wheel', '--directory', folder);
  const file = readdirSync(folder).find((name) => name.endsWith('.whl'));
  if (fails(built) || file === undefined) return { broken: `${built.stdout}${built.stderr}` };
  return { file };
};

/** Returns a version of npm as Python spells it: `1.2.0-alpha.3` becomes `1.2.0a3`. */
export const pythonVersion = (version) => version.replace(/-(alpha|beta|rc)\.(\d+)$/, (_, word, number) => `${SHORT[word]}${number}`);
const SHORT = { alpha: 'a', beta: 'b', rc: 'rc' };
