import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import type { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { startCuttingProxy } from '../../kit/cutting-proxy.ts';
import { administer } from '../../kit/postgres-server.ts';
import { createTemporaryDatabase, type TemporaryDatabase } from './temporary-database.ts';

const LISTENING = `SELECT count(*)::int AS n FROM pg_stat_activity
  WHERE datname = current_database() AND query IN ('SELECT 1', 'LISTEN fact_memory_signals') AND pid <> pg_backend_pid()`;
const KILL_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

describe('the signals of PostgreSQL stores', () => {
  let temporary: TemporaryDatabase;
  let store: FactStore;
  beforeEach(async () => {
    temporary = await createTemporaryDatabase();
    ({ store } = temporary);
    await store.migrate(CORE_MIGRATIONS);
  });
  afterEach(() => temporary.stop());

  const raise = (through: FactStore): Promise<void> =>
    through.write('default', async (transaction) => transaction.signal('a'));
  const listening = async (): Promise<number> => Number((await administer(temporary.url, LISTENING))[0]?.['n']);
  const counting = (through: FactStore) => {
    const count = { calls: 0, stop: through.onSignal('a', () => (count.calls += 1)) };
    return count;
  };

  it('take one connection while listeners exist, and none before or after', async () => {
    await store.ping();
    expect(await listening()).to.equal(0);
    const counts = [counting(store), counting(store)];
    await comesTrue(async () => (await listening()) === 1);
    for (const { stop } of counts) stop();
    await comesTrue(async () => (await listening()) === 0);
    const again = counting(store);
    await comesTrue(async () => (await listening()) === 1);
    await store.close();
    expect(await listening()).to.equal(0);
    again.stop();
  });

  it('arrive again after a lost connection, and every listener is called once for signals that it may have missed', async () => {
    const other = await temporary.another();
    const heard = counting(other);
    await comesTrue(async () => heard.calls > 0 && (await listening()) === 1);
    await administer(temporary.url, KILL_OTHERS);
    const { calls } = heard;
    await comesTrue(() => heard.calls > calls);
    await comesTrue(async () => (await listening()) === 1);
    const before = heard.calls;
    await raise(store);
    await comesTrue(() => heard.calls > before);
  });

  it('never prevent a store from closing, even if the server is gone or silent', async () => {
    const proxy = await startCuttingProxy(temporary.url);
    const silent = await temporary.another({ url: proxy.url });
    const heard = counting(silent);
    await comesTrue(() => heard.calls > 0);
    proxy.freeze();
    await silent.close();
    await proxy.close();
    const unreachable = await temporary.another({ url: proxy.url });
    unreachable.onSignal('a', () => {});
    await unreachable.close();
  });

  it('are replaced by a call each second when notifications do not arrive', async () => {
    const proxy = await startCuttingProxy(temporary.url);
    // Like a connection pooler in transaction mode: LISTEN succeeds, but no notification ever arrives.
    proxy.dropAnswers('fact_memory_signals');
    const deaf = await temporary.another({ url: proxy.url });
    const heard = counting(deaf);
    await comesTrue(() => heard.calls > 1);
    await raise(store);
    const { calls } = heard;
    await comesTrue(() => heard.calls > calls);
    await deaf.close();
    await proxy.close();
  });
});
