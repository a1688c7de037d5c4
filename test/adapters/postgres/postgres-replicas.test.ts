import { expect } from 'chai';
import { createPostgresStore } from '../../../adapters/postgres/create-postgres-store.ts';
import { inspectReplicas } from '../../../adapters/postgres/inspect-replicas.ts';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { all, type FactStore, type ReadReplica, type Snapshot } from '../../../ports/ports.ts';
import { factById, sampleFact, sampleId, storeFacts } from '../../kit/fact-samples.ts';
import { COPIED_SETTINGS, type PostgresProcess, startPostgres, startStandby } from '../../kit/postgres-process.ts';
import { administer } from '../../kit/postgres-server.ts';
import { waitUntil } from '../../kit/wait-until.ts';

const LIMIT_MS = 30_000;

type Server = 'primary' | 'replica';

const serverOf = async (snapshot: Snapshot): Promise<Server> => {
  const [setting] = await snapshot.table('pg_settings').where({ name: 'in_hot_standby' }).pluck('setting');
  return setting === 'on' ? 'replica' : 'primary';
};

describe('a PostgreSQL store with a replica', function () {
  this.timeout(60_000);
  let first: PostgresProcess;
  let second: PostgresProcess;
  let store: FactStore;
  let stored = 0;
  /** The warnings of the store about its replica. */
  let reports: string[] = [];
  before(async () => {
    first = await startPostgres(COPIED_SETTINGS);
    second = await startStandby(first);
    const report = (message: string): void => void reports.push(message);
    store = createPostgresStore({ url: first.url, replicaUrls: [second.url], report });
    await store.migrate(CORE_MIGRATIONS);
  });
  after(async () => {
    await store?.close();
    await second?.stop();
    await first?.stop();
  });

  const look = (): Promise<{ readonly server: Server; readonly count: number }> =>
    store.read(async (snapshot) => ({ server: await serverOf(snapshot), count: await snapshot.count(all()) }));
  const storeOne = async (): Promise<void> => {
    stored += 1;
    await storeFacts(store, [sampleFact(stored)]);
  };
  const serves = (server: Server): Promise<void> =>
    waitUntil(`the ${server} serves`, LIMIT_MS, async () => (await look()).server === server);
  const told = async (by = store): Promise<ReadReplica> => (await by.replicas?.())?.[0] as ReadReplica;
  const delay = async (limit: string): Promise<void> => {
    await administer(second.url, `ALTER SYSTEM SET recovery_min_apply_delay = '${limit}'`, 'SELECT pg_reload_conf()');
  };

  it('reads on the replica', () => serves('replica'));

  it('sees in every read all facts that any store acknowledged before it', async () => {
    const other = createPostgresStore({ url: first.url });
    try {
      for (let time = 0; time < 20; time += 1) {
        stored += 1;
        await storeFacts(time % 2 === 0 ? store : other, [sampleFact(stored)]);
        const looks = await Promise.all([look(), look(), look()]);
        expect(looks.map(({ count }) => count)).to.deep.equal([stored, stored, stored]);
      }
    } finally {
      await other.close();
    }
  });

  it('tells of its replica how far it lags, and how many reads each server has served', async () => {
    await serves('replica');
    const before = await told();
    expect(before.address).to.equal(`postgres://${new URL(second.url).host}/postgres`);
    await waitUntil('the replica is up to date', LIMIT_MS, async () => {
      await look();
      const { leftOut, lagBytes } = await told();
      return leftOut === null && lagBytes === 0;
    });
    expect((await told()).reads).to.be.above(before.reads);
    await delay('2s');
    await waitUntil('the replica lags', LIMIT_MS, async () => {
      await storeOne();
      await look();
      const { leftOut, lagBytes } = await told();
      return leftOut === 'the server lags behind the primary' && Number(lagBytes) > 0;
    });
    expect((await told()).readsOnPrimary).to.be.above(before.readsOnPrimary);
    await delay('0');
  });

  it('tells of two replicas at one address apart', async () => {
    const twice = createPostgresStore({ url: first.url, replicaUrls: [second.url, second.url] });
    try {
      const found = (await twice.replicas?.()) ?? [];
      expect(new Set(found.map(({ address }) => address)).size).to.equal(2);
    } finally {
      await twice.close();
    }
  });

  it('sees one epoch on both servers', async () => {
    await serves('replica');
    const direct = createPostgresStore({ url: first.url });
    try {
      const epoch = (of: FactStore) => of.read((snapshot) => snapshot.epoch());
      expect(await epoch(store)).to.equal(await epoch(direct));
    } finally {
      await direct.close();
    }
  });

  it('sees in a read no commit made after the read began, on either server', async () => {
    for (const server of ['replica', 'primary'] as const) {
      await serves('replica');
      if (server === 'primary') await delay('2s');
      let count = 0;
      await store.read(async (snapshot) => {
        const before = await snapshot.count(all());
        await storeOne();
        count = (await snapshot.count(all())) - before;
      });
      expect(count).to.equal(0);
    }
    await delay('0');
  });

  it('reads facts and erasures on the primary while the replica lags by two seconds', async () => {
    await serves('replica');
    await delay('2s');
    // The server applies the setting a little later.
    await waitUntil('the replica lags', LIMIT_MS, async () => {
      await storeOne();
      const { server, count } = await look();
      expect(count).to.equal(stored);
      return server === 'primary';
    });
    const find = () => store.read((snapshot) => factById(snapshot, sampleId(stored)));
    const former = await find();
    const erased = [{ id: sampleId(stored), commitment: new Uint8Array(32) }];
    await store.write('default', (transaction) => transaction.erase(erased));
    expect(await find()).not.to.deep.equal(former);
    await delay('0');
    await serves('replica');
  });

  it('continues without a replica that fails, uses it again later, and logs each change once', async () => {
    await serves('replica');
    expect(reports).to.deep.equal([]);
    const held = store.read(async () => {
      await second.halt('crash');
      return 'nothing read yet';
    });
    expect(await held).to.equal('nothing read yet');
    await storeOne();
    for (let time = 0; time < 5; time += 1) expect(await look()).to.deep.equal({ server: 'primary', count: stored });
    expect(reports).to.have.length(1);
    expect(reports[0]).to.match(/^SVC_DATABASE_REPLICA_URLS: .*127\.0\.0\.1:\d+.* serves no reads; /);
    await waitUntil('the replica is left out', LIMIT_MS, async () => {
      const { leftOut, lagBytes } = await told();
      return leftOut !== null && lagBytes === null;
    });
    await second.resume();
    await serves('replica');
    expect(reports.at(-1)).to.match(/^SVC_DATABASE_REPLICA_URLS: .* serves reads again$/);
    reports = [];
  });

  it('logs why a replica address serves no reads, without the password', async () => {
    const stranger = await startPostgres(COPIED_SETTINGS);
    const follower = await startStandby(stranger);
    const { password } = new URL(second.url);
    const other = (change: Partial<URL>): string => Object.assign(new URL(second.url), change).href;
    const cases: readonly (readonly [string, RegExp])[] = [
      [other({ port: '1' }), /nothing listens/],
      [other({ pathname: '/nowhere' }), /does not exist/],
      [other({ password: `${password}-0123` }), /not let the node in/],
      [first.url, /no replica/],
      [follower.url, /another primary/],
    ];
    try {
      for (const [address, reason] of cases) {
        let shown = '';
        const logged: string[] = [];
        const report = (message: string): void => void logged.push(message);
        const reader = createPostgresStore({ url: first.url, replicaUrls: [address], report });
        try {
          await waitUntil('the reason is told', LIMIT_MS, async () => {
            await reader.read((snapshot) => snapshot.epoch());
            return logged.length > 0;
          });
          for (let time = 0; time < 5; time += 1) await reader.read((snapshot) => snapshot.epoch());
          await waitUntil('the reason is shown', LIMIT_MS, async () => (await told(reader)).leftOut !== null);
          shown = JSON.stringify(await told(reader));
        } finally {
          await reader.close();
        }
        const found = await inspectReplicas(first.url, [second.url, address]);
        expect(found).to.have.length(1);
        expect(shown).to.match(reason).and.not.to.contain(password);
        for (const text of [logged.join(), `${found[0]?.message}; ${found[0]?.hint}`]) {
          expect(text).to.match(reason).and.to.contain('SVC_DATABASE_REPLICA_URLS: ').and.not.to.contain(password);
        }
        expect(logged).to.have.length(1);
        expect(found[0]?.isWarning).to.equal(true);
      }
    } finally {
      await follower.stop();
      await stranger.stop();
    }
  });

  it('never reads on a replica of another cluster, or on a promoted one', async () => {
    const stranger = await startPostgres(COPIED_SETTINGS);
    const foreign = createPostgresStore({ url: stranger.url, replicaUrls: [second.url] });
    try {
      await foreign.migrate(CORE_MIGRATIONS);
      expect(await foreign.read((snapshot) => snapshot.count(all()))).to.equal(0);
    } finally {
      await foreign.close();
      await stranger.stop();
    }
    await serves('replica');
    await administer(second.url, 'SELECT pg_promote()');
    await storeOne();
    for (let time = 0; time < 5; time += 1) expect(await look()).to.deep.equal({ server: 'primary', count: stored });
  });
});
