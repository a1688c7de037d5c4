/**
 * `npm run test:s3 [FILES]`: runs the tests of buckets, or the given files, against a real server of S3. The server is
 * moto, which pip installs into `node_modules/.cache`. PYTHON names another interpreter than `python3`. SVC_TEST_S3_URL
 * names a running server to use instead.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PACKAGES = ['moto[s3]==5.2.1', 'flask==3.1.3', 'flask-cors==6.0.5'];
const INSTALLED = fileURLToPath(new URL('../node_modules/.cache/moto-5.2.1', import.meta.url));
const PYTHON = process.env['PYTHON'] ?? 'python3';
/** The exit code of a machine that cannot install, for example without a registry. */
const NOT_INSTALLED = 75;
const START_LIMIT_MS = 60_000;
const FILES = ['dist/test/s3/*.js'];

const install = () => {
  if (existsSync(join(INSTALLED, 'moto', 'server.py'))) return true;
  const flags = ['--quiet', '--disable-pip-version-check', '--only-binary', ':all:', '--target', INSTALLED];
  const env = { ...process.env, PIP_ROOT_USER_ACTION: 'ignore' };
  return spawnSync(PYTHON, ['-m', 'pip', 'install', ...flags, ...PACKAGES], { env, stdio: 'inherit' }).status === 0;
};

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const startServer = async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(PYTHON, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
    env: { ...process.env, PYTHONPATH: INSTALLED },
    stdio: 'ignore',
  });
  let isOver = false;
  child.on('exit', () => {
    isOver = true;
  });
  child.on('error', () => {
    isOver = true;
  });
  const until = Date.now() + START_LIMIT_MS;
  while (!isOver && Date.now() < until) {
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return { url, stop: () => child.kill() };
    await pause(200);
  }
  child.kill();
  return undefined;
};

const givenUrl = process.env['SVC_TEST_S3_URL'];
if (!givenUrl && !install()) {
  console.error(`the tests of buckets are left out: "${PYTHON} -m pip" could not install a server of S3`);
  process.exit(NOT_INSTALLED);
}
const server = givenUrl ? { url: givenUrl, stop: () => {} } : await startServer();
if (server === undefined) {
  console.error('the server of S3 was installed and does not start');
  process.exit(1);
}
const files = process.argv.length > 2 ? process.argv.slice(2) : FILES;
const mocha = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', '--no-fail-zero', ...files], {
  env: { ...process.env, SVC_TEST_S3_URL: server.url },
  stdio: 'inherit',
});
process.exitCode = await new Promise((resolve) => mocha.on('exit', (code) => resolve(code ?? 1)));
server.stop();
