/**
 * `npm run test:replicas`: runs the tests about hidden facts, revoked keys and fresh facts on PostgreSQL with a replica.
 * The replica follows at once in the first run, and lags by two seconds on purpose in the second.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { COPIED_SETTINGS, startPostgres, startStandby } from '../dist/test/kit/postgres-process.js';
import { administer } from '../dist/test/kit/postgres-server.js';

const SUITES = [
  'hostile/rights/hidden-rows',
  'hostile/rights/authority',
  'hostile/rights/other-places',
  'hostile/rights/promotions',
  'hostile/doors/revoked-keys',
  'hostile/ledger/fresh-facts',
  'hostile/ledger/acknowledged-facts',
  'plugins/node-info/shown-replicas',
];

const primary = await startPostgres(COPIED_SETTINGS);
const replica = await startStandby(primary);
try {
  for (const lag of ['0', '2s']) {
    console.log(`a replica that lags by ${lag}`);
    const settings = [`ALTER SYSTEM SET recovery_min_apply_delay = '${lag}'`, 'SELECT pg_reload_conf()'];
    await administer(replica.url, ...settings);
    const env = { ...process.env, SVC_TEST_DATABASE_URL: primary.url, SVC_TEST_REPLICA_URL: replica.url };
    const files = SUITES.map((name) => `dist/test/${name}.test.js`);
    const args = ['node_modules/mocha/bin/mocha.js', '--grep', 'PostgreSQL', ...files];
    const [code] = await once(spawn(process.execPath, args, { env, stdio: 'inherit' }), 'exit');
    process.exitCode = Math.max(process.exitCode ?? 0, code ?? 1);
  }
} finally {
  await replica.stop();
  await primary.stop();
}
