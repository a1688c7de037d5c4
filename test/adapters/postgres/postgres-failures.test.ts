import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { all, type FactStore } from '../../../ports/ports.ts';
import { type CuttingProxy, startCuttingProxy } from '../../kit/cutting-proxy.ts';
import { factById, sampleFact, sampleId, storeFacts } from '../../kit/fact-samples.ts';
import { administer } from '../../kit/postgres-server.ts';
import { rejection } from '../../kit/rejection.ts';
import { createTemporaryDatabase, type TemporaryDatabase } from './temporary-database.ts';

/** The end of a session before the commit is sent, and after. */
const CODES = ['unavailable', 'commit_unknown'];

const count = (store: FactStore): Promise<number> => store.read((snapshot) => snapshot.count(all()));

/** Ends every session of the database except its own. */
const KILL_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

/** Ends each session that is open now as soon as it reads a fact. */
const END_OPEN_SESSIONS_AT_A_READ = `
  CREATE TABLE ended AS SELECT pid FROM pg_stat_activity WHERE datname = current_database();
  CREATE FUNCTION go_on() RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT FROM ended WHERE pid = pg_backend_pid()) THEN
      PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1);
    END IF;
    RETURN true; END $$;
  ALTER TABLE facts RENAME TO stored_facts;
  CREATE VIEW facts AS SELECT * FROM stored_facts WHERE go_on()`;

/** Runs `body` in the transaction of a write that inserts a setting, at the insert or at the commit. */
const onInsert = (when: 'at once' | 'at commit', body: string): string => `
  CREATE SEQUENCE attempts;
  CREATE FUNCTION interfere() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER interfere AFTER INSERT ON node_settings
    DEFERRABLE INITIALLY ${when === 'at commit' ? 'DEFERRED' : 'IMMEDIATE'} FOR EACH ROW EXECUTE FUNCTION interfere()`;

describe('a PostgreSQL store when something fails', () => {
  let temporary: TemporaryDatabase;
  let store: FactStore;
  beforeEach(async () => {
    temporary = await createTemporaryDatabase();
    ({ store } = temporary);
    await store.migrate(CORE_MIGRATIONS);
  });
  afterEach(() => temporary.stop());

  const insertSetting = (through: FactStore = store) =>
    through.write('default', (transaction) => transaction.insertRows('node_settings', [{ key: 'a', value: 'b' }]));
  const settings = () => store.read((snapshot) => snapshot.select('node_settings', {}));

  describe('a lock', () => {
    it('that another process holds too long fails the write, which clients may retry', async () => {
      const hurried = await temporary.another({ lockTimeoutMs: 100 });
      await store.write('default', async (transaction) => {
        await transaction.insert([sampleFact(1)]);
        const error = await rejection(storeFacts(hurried, [sampleFact(2)]));
        expect(error).to.include({ code: 'unavailable', status: 503 });
        expect(error['headers']).to.deep.equal({ 'Retry-After': '1' });
        expect(error['hint']).to.include('try again');
      });
      await storeFacts(hurried, [sampleFact(2)]);
    });

    it('of one tenant does not delay other tenants', async () => {
      const other = await temporary.another({ lockTimeoutMs: 100 });
      await store.write('one', async () => {
        await other.write('two', (transaction) => transaction.insert([sampleFact(1, { tenantId: 'two' })]));
      });
      expect(await count(store)).to.equal(1);
    });

    it('is awaited only as long as a statement may take', async () => {
      const hurried = await temporary.another({ lockTimeoutMs: 60_000, statementTimeoutMs: 100 });
      await store.write('default', async () => {
        expect(await rejection(storeFacts(hurried, [sampleFact(2)]))).to.include({ code: 'unavailable' });
      });
    });

    it('is awaited without limit by a change of the schema', async () => {
      const hurried = await temporary.another({ lockTimeoutMs: 50, statementTimeoutMs: 50 });
      const slow = { owner: 'notes', number: 900, name: 'slow', up: async () => {} };
      let migrated: Promise<unknown> | undefined;
      await administer(temporary.url, 'CREATE TABLE held (id int)');
      const first = {
        ...slow,
        up: async () => {
          migrated = hurried.migrate([...CORE_MIGRATIONS, slow]);
          await administer(temporary.url, 'SELECT pg_sleep(0.2)');
        },
      };
      await store.migrate([...CORE_MIGRATIONS, first]);
      await migrated;
    });
  });

  describe('a session that the server ends', () => {
    it('in the middle of a write fails it, and stores nothing', async () => {
      const failed = store.write('default', async (transaction) => {
        await transaction.insert([sampleFact(1)]);
        await administer(temporary.url, KILL_OTHERS);
        await transaction.count(all());
      });
      expect(await rejection(failed)).to.include({ code: 'unavailable', status: 503 });
      await storeFacts(store, [sampleFact(3)]);
      expect(await count(store)).to.equal(1);
    });

    it('just before a commit fails the write, and stores nothing', async () => {
      const failed = store.write('default', async (transaction) => {
        await transaction.insert([sampleFact(1)]);
        await administer(temporary.url, KILL_OTHERS);
      });
      const error = await rejection(failed);
      expect(error).to.have.property('status', 503);
      expect(error).to.have.property('code').that.is.oneOf(CODES);
      expect(await count(store)).to.equal(0);
    });

    it('before it answers a read does not fail the read', async () => {
      await storeFacts(store, [sampleFact(1)]);
      await count(store);
      await administer(temporary.url, END_OPEN_SESSIONS_AT_A_READ);
      expect(await count(store)).to.equal(1);
    });

    it('during a commit does not affect queued writes', async () => {
      await administer(
        temporary.url,
        onInsert('at commit', 'PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1)'),
      );
      const lost = rejection(insertSetting());
      const others = [1, 2, 3].map((n) => storeFacts(store, [sampleFact(n)]));
      expect(await lost).to.include({ code: 'commit_unknown' });
      await Promise.all(others);
      expect(await count(store)).to.equal(3);
    });

    it('during a commit leaves the outcome of the write unknown', async () => {
      await administer(
        temporary.url,
        onInsert('at commit', 'PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1)'),
      );
      const error = await rejection(insertSetting());
      expect(error).to.include({ code: 'commit_unknown', status: 503 });
      expect(error['hint']).to.include('Idempotency-Key');
      expect(await settings()).to.deep.equal([]);
    });

    it('between two calls is noticed by neither', async () => {
      await storeFacts(store, [sampleFact(1)]);
      await administer(temporary.url, KILL_OTHERS);
      await storeFacts(store, [sampleFact(2)]);
      expect(await count(store)).to.equal(2);
    });

    it('in a read fails only that read', async () => {
      const failed = store.read(async (snapshot) => {
        await snapshot.count(all());
        await administer(temporary.url, KILL_OTHERS);
        return snapshot.count(all());
      });
      expect(await rejection(failed)).to.include({ code: 'unavailable' });
      expect(await count(store)).to.equal(0);
    });
  });

  describe('a transaction that the server aborts', () => {
    for (const when of ['at once', 'at commit'] as const) {
      it(`${when} runs again from its beginning`, async () => {
        const body = "IF nextval('attempts') < 4 THEN RAISE SQLSTATE '40001'; END IF";
        await administer(temporary.url, onInsert(when, body));
        let runs = 0;
        await store.write('default', async (transaction) => {
          runs += 1;
          await transaction.insertRows('node_settings', [{ key: 'a', value: 'b' }]);
          // The work of a transaction may swallow the failure, but the abort must still be noticed.
          await transaction.insert([sampleFact(1)]).catch(() => {
            throw new Error('taken for something else');
          });
        });
        expect(runs).to.equal(4);
        expect(await settings()).to.have.length(1);
        expect(await count(store)).to.equal(1);
      });
    }

    it('while others are queued runs again, and each queued write runs once', async () => {
      await administer(
        temporary.url,
        onInsert('at commit', "IF nextval('attempts') < 3 THEN RAISE SQLSTATE '40001'; END IF"),
      );
      const numbers = [1, 2, 3, 4, 5, 6];
      await Promise.all([
        insertSetting(),
        ...numbers.map((n) => store.write('default', (transaction) => transaction.insert([sampleFact(n)]))),
      ]);
      expect(await settings()).to.have.length(1);
      const facts = await store.read((snapshot) => snapshot.find({ filter: all(), order: 'feed', limit: 9 }));
      expect(facts.map(({ id }) => id)).to.deep.equal(numbers.map((n) => sampleId(n)));
    });

    it('is given up after repeated aborts', async () => {
      await administer(temporary.url, onInsert('at once', "PERFORM nextval('attempts'); RAISE SQLSTATE '40P01'"));
      expect(await rejection(insertSetting())).to.include({ code: 'unavailable' });
      expect((await administer(temporary.url, 'SELECT last_value::int FROM attempts'))[0]).to.deep.equal({
        last_value: 5,
      });
    });

    it('because of an invalid statement is logged as a bug without the values', async () => {
      const failed = store.write('default', (transaction) =>
        transaction.table('node_clock').insert({ id: 'the secret', wall: 1, ctr: 1, epoch: '' }),
      );
      const error = await rejection(failed);
      expect(error['code']).to.equal('22P02');
      expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.to.include('secret');
    });
  });

  describe('a network', () => {
    let proxy: CuttingProxy;
    beforeEach(async () => {
      proxy = await startCuttingProxy(temporary.url);
    });
    afterEach(() => proxy.close());

    it('that loses the answer to a commit leaves the outcome unknown, although the write is stored', async () => {
      const remote = await temporary.another({ url: proxy.url });
      proxy.cutAnswerTo('COMMIT\u0000');
      expect(await rejection(storeFacts(remote, [sampleFact(1)]))).to.include({ code: 'commit_unknown' });
      await storeFacts(remote, [sampleFact(2)]);
      expect((await remote.read((snapshot) => factById(snapshot, sampleId(1))))?.id).to.equal(sampleId(1));
    });

    it('that loses the answer to another statement leaves the outcome unknown as well', async () => {
      const remote = await temporary.another({ url: proxy.url });
      proxy.cutAnswerTo('insert into "node_settings"');
      const failed = remote.table('node_settings').insert({ key: 'a', value: 'b' });
      expect(await rejection(failed)).to.include({ code: 'commit_unknown' });
      expect(await settings()).to.have.length(1);
    });

    it('that stays silent is given up in time', async () => {
      const remote = await temporary.another({ url: proxy.url, statementTimeoutMs: 100, connectTimeoutMs: 100 });
      let isFrozen = false;
      let error: unknown;
      // On a slow machine the first connections may take longer than the limit, and fail before the work begins.
      while (!isFrozen) {
        error = await rejection(
          remote.write('default', async (transaction) => {
            isFrozen = true;
            proxy.freeze();
            await transaction.insert([sampleFact(1)]);
          }),
        );
      }
      expect(error).to.include({ code: 'unavailable' });
      expect(await rejection(storeFacts(remote, [sampleFact(2)]))).to.include({ code: 'unavailable' });
      expect(await count(store)).to.equal(0);
    });
  });
});
