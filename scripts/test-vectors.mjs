/**
 * `npm run test:vectors [FILES]`: runs the tests of vectors in PostgreSQL, or the given files, on a server with
 * pgvector that pip installs into `node_modules/.cache`. PYTHON names another interpreter than `python3`.
 * SVC_TEST_VECTOR_DATABASE_URL names a running server to use instead.
 */
import { spawn } from 'node:child_process';
import { startVectorServer } from '../dist/test/kit/vector-server.js';

/** The exit code of a machine that cannot install, for example without a registry. */
const NOT_INSTALLED = 75;
const FILES = ['dist/test/kit/vector-postgres.test.js', 'dist/test/plugins/search/postgres/**/*.test.js'];

const givenUrl = process.env['SVC_TEST_VECTOR_DATABASE_URL'];
const server = givenUrl ? { url: givenUrl, stop: async () => {} } : await startVectorServer();
if (server === undefined) {
  console.error('the tests of vectors are left out: pip could not install a server with pgvector');
  process.exit(NOT_INSTALLED);
}
const files = process.argv.length > 2 ? process.argv.slice(2) : FILES;
const mocha = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', ...files], {
  env: { ...process.env, SVC_TEST_VECTOR_DATABASE_URL: server.url },
  stdio: 'inherit',
});
process.exitCode = await new Promise((resolve) => mocha.on('exit', (code) => resolve(code ?? 1)));
await server.stop();
