import { expect } from 'chai';
import { createPostgresStore, type PostgresStoreOptions } from '../../adapters/postgres/create-postgres-store.ts';
import { requireUnusedDatabase } from '../../adapters/postgres/restore-rows.ts';
import { CORE_MIGRATIONS } from '../../adapters/sql/core-migrations.ts';
import { all, type FactStore, ServiceError } from '../../ports/ports.ts';
import { describeFactStore, type StoreUnderTest } from '../contract/fact-store-contract.ts';
import { sampleFact, storeFacts } from '../kit/fact-samples.ts';
import { NodeProcesses } from '../kit/node-processes.ts';
import { administer, createTestDatabase, type TestDatabase } from '../kit/postgres-server.ts';
import { rejection } from '../kit/rejection.ts';
import { isPgbouncerInstalled, type PgbouncerProcess, POOLED_SESSIONS, startPgbouncer } from './pgbouncer-process.ts';

const TITLE = 'PostgreSQL behind PgBouncer in transaction mode';

if (isPgbouncerInstalled()) {
  let pooler: Promise<PgbouncerProcess> | undefined;
  const poolerFor = ({ url }: TestDatabase): Promise<PgbouncerProcess> => {
    pooler ??= startPgbouncer(url);
    return pooler;
  };
  after('PgBouncer stops', async () => (await pooler)?.stop());

  interface PooledStore extends StoreUnderTest {
    readonly database: TestDatabase;
    open(options?: Partial<PostgresStoreOptions>): FactStore;
  }

  const createPooledStore = async (): Promise<PooledStore> => {
    const database = await createTestDatabase();
    const { addressOf } = await poolerFor(database);
    const stores: FactStore[] = [];
    const open = (options: Partial<PostgresStoreOptions> = {}): FactStore => {
      const store = createPostgresStore({ url: addressOf(database.url), directUrl: database.url, ...options });
      stores.push(store);
      return store;
    };
    return {
      database,
      store: open(),
      open,
      another: async () => open(),
      stop: async () => {
        await Promise.all(stores.map((store) => store.close()));
        await database.drop();
      },
    };
  };

  describeFactStore(TITLE, createPooledStore);

  describe(`a store on ${TITLE}`, () => {
    let pooled: PooledStore;
    before(async () => {
      pooled = await createPooledStore();
      await pooled.store.migrate(CORE_MIGRATIONS);
    });
    after(() => pooled.stop());

    it('is durable and limited in every transaction, for any settings of the database', async () => {
      const { database } = pooled;
      const name = new URL(database.url).pathname.slice(1);
      await administer(database.url, `ALTER DATABASE ${name} SET synchronous_commit = off`);
      await administer(database.url, `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
      const store = pooled.open({ lockTimeoutMs: 4_000, statementTimeoutMs: 9_000 });
      const names = ['synchronous_commit', 'lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'];
      const read = (table: (name: string) => ReturnType<FactStore['table']>) =>
        table('pg_settings').whereIn('name', names).orderBy('name').pluck('setting');
      for (let time = 0; time < POOLED_SESSIONS; time += 1) {
        const written = await store.write('default', (transaction) => read((table) => transaction.table(table)));
        expect(written).to.deep.equal(['5000', '4000', '9000', 'on']);
        expect(await store.read((snapshot) => read((table) => snapshot.table(table)))).to.include.members([
          '9000',
          'on',
        ]);
        expect(await read((table) => store.table(table))).to.include.members(['9000', 'on']);
      }
    });

    it('leaves no setting behind in a session that another program may get', async () => {
      await storeFacts(pooled.store, [sampleFact(1)]);
      const { addressOf } = await poolerFor(pooled.database);
      const other = addressOf(pooled.database.url);
      for (let time = 0; time < POOLED_SESSIONS; time += 1) {
        expect(await administer(other, 'SHOW statement_timeout')).to.deep.equal([{ statement_timeout: '0' }]);
      }
    });

    it('fails with 503 when another process holds the lock of a write, and when a statement takes too long', async () => {
      const hurried = pooled.open({ lockTimeoutMs: 100 });
      await pooled.store.write('default', async () => {
        expect(await rejection(storeFacts(hurried, [sampleFact(2)]))).to.include({ code: 'unavailable', status: 503 });
      });
      const brief = pooled.open({ statementTimeoutMs: 100 });
      const slow = brief.read((snapshot) => snapshot.table('pg_settings').select().whereRaw('pg_sleep(1) IS NULL'));
      const error = await rejection(slow);
      expect(error).to.include({ code: 'unavailable', status: 503 });
      expect(error['headers']).to.deep.equal({ 'Retry-After': '1' });
      await storeFacts(hurried, [sampleFact(3)]);
    });

    it('counts as unused when only sessions of the pooler are left, so that a restore may begin', async () => {
      await storeFacts(pooled.store, [sampleFact(4)]);
      await requireUnusedDatabase(pooled.database.url);
    });

    it('without the address of the server fails with the name of the missing setting', async () => {
      // More connections than sessions, so that two of them meet in one session.
      const store = pooled.open({ directUrl: undefined, poolSize: 3 * POOLED_SESSIONS });
      const reads = Array.from({ length: 2 * POOLED_SESSIONS }, () => store.read((snapshot) => snapshot.count(all())));
      const failures = (await Promise.allSettled(reads)).flatMap((read) =>
        read.status === 'rejected' ? [read.reason as unknown] : [],
      );
      const [failure] = failures;
      expect(failure).to.be.instanceOf(ServiceError).and.include({ code: 'unavailable', status: 503 });
      expect((failure as ServiceError).hint)
        .to.include('SVC_DATABASE_DIRECT_URL')
        .and.include('pool_mode = session');
    });
  });

  describe(`two node processes on ${TITLE}`, () => {
    let database: TestDatabase;
    let nodes: NodeProcesses;
    before(async () => {
      database = await createTestDatabase();
      const { addressOf } = await poolerFor(database);
      nodes = await NodeProcesses.onDatabase(addressOf(database.url));
      const direct = { SVC_DATABASE_DIRECT_URL: database.url };
      await nodes.start(1, direct);
      await nodes.start(1, direct);
    });
    after(async () => {
      await nodes.stop();
      await database.drop();
    });

    it('store facts of many clients, and find each of them', async () => {
      const [one, other] = nodes.running as [(typeof nodes.running)[0], (typeof nodes.running)[0]];
      const COUNT = 60;
      const assertions = Array.from({ length: COUNT }, (_, n) =>
        (n % 2 === 0 ? one : other).request('POST', '/v1/facts', {
          entity: `user:u${n}`,
          relation: 'memory:note',
          value: { type: 'string', v: 'x' },
          source: 'agent:a',
        }),
      );
      const statuses = (await Promise.all(assertions)).map(({ status }) => status);
      expect(statuses).to.deep.equal(Array(COUNT).fill(201));
      const counts = await Promise.all(
        Array.from({ length: COUNT }, (_, n) => other.request('GET', `/v1/facts?entity=user:u${n}`)),
      );
      expect(counts.map(({ body }) => body.total)).to.deep.equal(Array(COUNT).fill(1));
    });

    it('make a backup by the address of the server', async () => {
      const replies = await Promise.all(nodes.running.map((node) => node.request('POST', '/v1/backups', {})));
      expect(replies.map(({ status }) => status)).to.include.oneOf([200, 201, 202]);
    });
  });
} else {
  console.log(`${TITLE}: these tests are left out, because pgbouncer is not installed (apt install pgbouncer)`);
}
