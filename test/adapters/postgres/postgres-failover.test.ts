import { inspect } from 'node:util';
import { expect } from 'chai';
import { createPostgresStore } from '../../../adapters/postgres/create-postgres-store.ts';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { all, type FactStore } from '../../../ports/ports.ts';
import { type CuttingProxy, startCuttingProxy } from '../../kit/cutting-proxy.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { COPIED_SETTINGS, type PostgresProcess, startPostgres, startStandby } from '../../kit/postgres-process.ts';
import { administer } from '../../kit/postgres-server.ts';
import { rejection } from '../../kit/rejection.ts';
import { thrownError } from '../../kit/thrown-error.ts';
import { waitUntil } from '../../kit/wait-until.ts';

const LIMIT_MS = 30_000;

/** Returns one address with the hosts of several, as libpq writes it. */
const together = (...urls: readonly string[]): string => {
  const [first = ''] = urls;
  const { host } = new URL(first);
  return `${first.replace(host, urls.map((url) => new URL(url).host).join())}?target_session_attrs=read-write`;
};

const count = (store: FactStore): Promise<number> => store.read((snapshot) => snapshot.count(all()));

describe('a PostgreSQL store whose address names several servers', function () {
  this.timeout(60_000);
  let first: PostgresProcess;
  let second: PostgresProcess;
  let proxy: CuttingProxy;
  let store: FactStore;
  before(async () => {
    first = await startPostgres(COPIED_SETTINGS);
    second = await startStandby(first);
    proxy = await startCuttingProxy(first.url);
    store = createPostgresStore({ url: together(second.url, proxy.url) });
    await store.migrate(CORE_MIGRATIONS);
  });
  after(async () => {
    await store?.close();
    await proxy?.close();
    await second?.stop();
    await first?.stop();
  });

  const standbyHasAll = async (): Promise<void> => {
    const [{ position } = {}] = await administer(first.url, 'SELECT pg_current_wal_lsn() AS position');
    await waitUntil('the standby has everything', LIMIT_MS, async () => {
      const query = `SELECT pg_last_wal_replay_lsn() >= '${position}' AS has`;
      return (await administer(second.url, query))[0]?.['has'] === true;
    });
  };

  it('writes to the primary, never to a standby', async () => {
    await storeFacts(store, [sampleFact(1)]);
    await standbyHasAll();
    expect(await count(store)).to.equal(1);
  });

  it('switches to a promoted standby while the old primary hangs, and fails the write that ran there', async () => {
    const cut = store.write('default', async (transaction) => {
      await transaction.insert([sampleFact(2)]);
      proxy.freeze();
      await administer(second.url, 'SELECT pg_promote()');
      await transaction.count(all());
    });
    const error = await rejection(cut);
    expect(error).to.include({ code: 'unavailable', status: 503 });
    expect(error['headers']).to.deep.equal({ 'Retry-After': '1' });
    await storeFacts(store, [sampleFact(3)]);
    expect(await count(store)).to.equal(2);
  });

  it('ignores the old primary that comes back, even while the new one is down', async () => {
    proxy.restore();
    await storeFacts(store, [sampleFact(4)]);
    await second.halt('crash');
    expect(await rejection(storeFacts(store, [sampleFact(5)]))).to.include({ code: 'unavailable' });
    const [row] = await administer(first.url, 'SELECT count(*)::int AS facts FROM facts');
    expect(row).to.deep.equal({ facts: 1 });
    await second.resume();
    await storeFacts(store, [sampleFact(6)]);
    expect(await count(store)).to.equal(4);
  });

  it('leaves the outcome of a write unknown when its wait for a replica is cancelled', async () => {
    await administer(second.url, "ALTER SYSTEM SET synchronous_standby_names = 'missing'", 'SELECT pg_reload_conf()');
    // The server follows its new setting only after a while.
    const storeOn = async (): Promise<never> => {
      for (let n = 100; ; n += 1) await storeFacts(store, [sampleFact(n)]);
    };
    const lost = rejection(storeOn());
    await waitUntil('the commit waits for a replica', LIMIT_MS, async () => {
      const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
      return (await administer(second.url, cancel)).length > 0;
    });
    expect(await lost).to.include({ code: 'commit_unknown', status: 503 });
    await administer(second.url, 'ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()');
    await storeFacts(store, [sampleFact(8)]);
  });
});

describe('the address of several PostgreSQL servers', () => {
  const problem = (url: string): unknown => thrownError(() => createPostgresStore({ url }));

  it('is refused when it asks for a server that takes no writes', () => {
    for (const wanted of ['any', 'read-only', 'standby', 'prefer-standby']) {
      const error = problem(`postgres://me:hunter2@a,b/facts?target_session_attrs=${wanted}`);
      expect(error).to.include({ code: 'unavailable' });
      expect(inspect(error)).not.to.include('hunter2');
    }
  });

  it('is refused, without printing it, when one host is invalid', () => {
    const error = problem('postgres://me:hunter2@a:5432,b:port/facts');
    expect(error).to.include({ code: 'unavailable' });
    expect(inspect(error)).not.to.include('hunter2');
  });
});
