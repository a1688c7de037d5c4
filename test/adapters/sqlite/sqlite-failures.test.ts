import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { createSqliteStore } from '../../../adapters/sqlite/create-sqlite-store.ts';
import { toCopyError } from '../../../adapters/sqlite/sqlite-errors.ts';
import { all, type FactStore } from '../../../ports/ports.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import { thrownError } from '../../kit/thrown-error.ts';
import {
  BUSY,
  createFailingDriver,
  type FailingDriver,
  FULL,
  IOERR,
  IOERR_SHMSIZE,
  READONLY,
} from './failing-driver.ts';
import { startInSameThread } from './same-thread-writer.ts';
import { createTemporaryStore, SQLITE_LAYOUTS, type SqliteLayout, type TemporaryStore } from './temporary-store.ts';

const count = (store: FactStore): Promise<number> => store.read((snapshot) => snapshot.count(all()));

describe('a path without a store', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fact-store-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is refused with a remedy, and no file stays open', async () => {
    const text = join(folder, 'text');
    await writeFile(text, 'not a database, but long enough to look at. '.repeat(100));
    await mkdir(join(folder, 'directory'));
    const paths = [
      [text, /damaged|not a database/],
      [join(folder, 'directory'), /opened/],
      [join(text, 'below', 'a', 'file.db'), /folder/],
      [':memory:', /path/],
      ['', /path/],
      ['a\u0000b', /path/],
    ] as const;
    for (const [path, message] of paths) {
      const error = thrownError(() => createSqliteStore({ path }));
      expect(error.code).to.equal('unavailable');
      expect(error.message).to.match(message);
      expect(error.hint).to.be.a('string');
    }
  });

  it('is created with its folders when it is missing, and is a single file once closed', async () => {
    const store = createSqliteStore({ path: join(folder, 'a', 'b', 'facts.db') });
    await store.migrate(CORE_MIGRATIONS);
    await storeFacts(store, [sampleFact(1)]);
    await store.close();
    await copyFile(join(folder, 'a', 'b', 'facts.db'), join(folder, 'copy.db'));
    const copied = createSqliteStore({ path: join(folder, 'copy.db') });
    expect(await count(copied)).to.equal(1);
    await copied.close();
  });
});

const describeFailures = (writer: SqliteLayout): void => {
  describe(`a store whose disk fails, written ${writer}`, () => {
    let driver: FailingDriver;
    let temporary: TemporaryStore;
    let store: FactStore;
    beforeEach(async () => {
      driver = createFailingDriver();
      temporary = await createTemporaryStore({ driver, busyTimeoutMs: 0, writer, startThread: startInSameThread });
      store = temporary.store;
      await store.migrate(CORE_MIGRATIONS);
      await storeFacts(store, [sampleFact(1)]);
    });
    afterEach(async () => {
      driver.fail(undefined);
      await temporary.stop();
    });

    it('is unavailable for any failing statement, writes nothing, and works again afterwards', async () => {
      const statements = [
        /^BEGIN IMMEDIATE/,
        /^SELECT c\.wall/,
        /^INSERT INTO "facts"/,
        /^INSERT INTO ledgers/,
        /^UPDATE node_clock/,
      ];
      for (const code of [BUSY, FULL, IOERR]) {
        for (const statement of statements) {
          driver.fail(code, (sql) => statement.test(sql));
          const failed = store.write('default', async (transaction) => {
            await transaction.insert([sampleFact(2)]);
            await transaction.saveClock(await transaction.lockClock());
          });
          const error = await rejection(failed);
          expect(error['code'], `${code} at ${statement}`).to.equal('unavailable');
          expect(error['hint']).to.be.a('string');
          driver.fail(undefined);
          expect(await count(store)).to.equal(1);
        }
      }
      await storeFacts(store, [sampleFact(2)]);
    });

    it('reports commit_unknown only when the disk fails during the commit itself', async () => {
      for (const [code, expected] of [
        [IOERR, 'commit_unknown'],
        [FULL, 'unavailable'],
        [BUSY, 'unavailable'],
      ] as const) {
        driver.fail(code, (sql) => sql === 'COMMIT');
        expect(await rejection(storeFacts(store, [sampleFact(2)]))).to.include({ code: expected });
        driver.fail(undefined);
        expect(await count(store)).to.equal(1);
      }
      await storeFacts(store, [sampleFact(2)]);
    });

    it('works again after a failed rollback', async () => {
      driver.fail(IOERR, (sql) => /^(INSERT|ROLLBACK)/.test(sql));
      expect(await rejection(storeFacts(store, [sampleFact(2)]))).to.include({ code: 'unavailable' });
      driver.fail(undefined);
      expect(await count(store)).to.equal(1);
      await storeFacts(store, [sampleFact(2)]);
    });

    it('is unavailable as long as no connection works', async () => {
      driver.fail(IOERR);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        expect(await rejection(storeFacts(store, [sampleFact(2)]))).to.include({ code: 'unavailable' });
        expect(await rejection(store.ping())).to.include({ code: 'unavailable' });
      }
      driver.fail(undefined);
      await store.ping();
      await storeFacts(store, [sampleFact(2)]);
    });

    it('is checked by a real write after a write has failed on a full disk', async () => {
      await store.ping();
      driver.fail(FULL, (sql) => /^(INSERT|PRAGMA user_version)/.test(sql));
      await store.ping();
      await rejection(storeFacts(store, [sampleFact(2)]));
      expect(await rejection(store.ping())).to.include({ code: 'unavailable' });
      driver.fail(undefined);
      await store.ping();
    });

    it('is checked by a real write before its first one, because a file that may only be read opens too', async () => {
      const other = await temporary.another({ driver, busyTimeoutMs: 0, startThread: startInSameThread });
      driver.fail(READONLY, (sql) => /^(INSERT|PRAGMA user_version)/.test(sql));
      await other.write('default', async () => {});
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const message = 'the store may not be written';
        expect(await rejection(other.ping())).to.include({ code: 'unavailable', message });
      }
      driver.fail(undefined);
      await other.ping();
    });

    it('fails one read as unavailable, and answers the next one', async () => {
      for (const statement of [/^BEGIN/, /count/, /^(SELECT|ROLLBACK)/]) {
        driver.fail(IOERR, (sql) => statement.test(sql));
        expect(await rejection(count(store)), String(statement)).to.include({ code: 'unavailable' });
        driver.fail(undefined);
        expect(await count(store)).to.equal(1);
      }
    });

    it('says that its disk is full, also where the index of the log cannot grow', async () => {
      for (const code of [FULL, IOERR_SHMSIZE]) {
        driver.fail(code, (sql) => sql.startsWith('BEGIN'));
        const message = 'the disk of the store is full';
        expect(await rejection(count(store)), String(code)).to.include({ code: 'unavailable', message });
        expect(await rejection(storeFacts(store, [sampleFact(2)])), String(code)).to.include({ message });
        driver.fail(undefined);
      }
    });

    it('names no value and no statement in its error', async () => {
      driver.fail(IOERR, (sql) => sql.startsWith('insert'));
      const failed = store.write('default', (tx) =>
        tx.table('node_settings').insert({ key: 'k', value: 'the secret' }),
      );
      const error = await rejection(failed);
      expect(`${error.message} ${error['hint']}`).not.to.match(/secret|insert|node_settings/);
    });
  });

  describe(`a store on a full disk, written ${writer}`, () => {
    it('refuses writes and answers reads until space is free', async () => {
      const driver = createFailingDriver();
      const temporary = await createTemporaryStore({ driver, writer, startThread: startInSameThread });
      try {
        await temporary.store.migrate(CORE_MIGRATIONS);
        await storeFacts(temporary.store, [sampleFact(0)]);
        await temporary.store.close();
        driver.prepareWith('PRAGMA max_page_count = 1');
        const full = await temporary.another({ driver, startThread: startInSameThread });
        const many = Array.from({ length: 500 }, (_, n) => sampleFact(n + 1));
        expect(await rejection(storeFacts(full, many))).to.include({ code: 'unavailable' });
        expect(await count(full)).to.equal(1);
        await full.close();
        driver.prepareWith('');
        const roomy = await temporary.another({ driver, startThread: startInSameThread });
        await storeFacts(roomy, many);
      } finally {
        await temporary.stop();
      }
    });
  });

  describe(`a store that another connection has locked, written ${writer}`, () => {
    it('waits for the lock, and is unavailable when that takes too long', async () => {
      const temporary = await createTemporaryStore({ writer });
      try {
        await temporary.store.migrate(CORE_MIGRATIONS);
        const patient = await temporary.another();
        const impatient = await temporary.another({ busyTimeoutMs: 0 });
        await temporary.store.write('default', async (transaction) => {
          const refused = await rejection(storeFacts(impatient, [sampleFact(1)]));
          expect(refused).to.include({ code: 'unavailable' });
          expect(refused['hint']).to.be.a('string');
          await transaction.insert([sampleFact(2)]);
        });
        let waiting: Promise<void> | undefined;
        await temporary.store.write('default', async (transaction) => {
          waiting = storeFacts(patient, [sampleFact(3)]);
          await new Promise((resolve) => setImmediate(resolve));
          await transaction.insert([sampleFact(4)]);
        });
        await waiting;
        expect(await count(temporary.store)).to.equal(3);
      } finally {
        await temporary.stop();
      }
    });
  });
};

for (const writer of SQLITE_LAYOUTS) describeFailures(writer);

describe('a full disk while a store is copied', () => {
  it('is called the disk of the copy, which may be another one than that of the store', () => {
    const full = toCopyError(Object.assign(new Error('database or disk is full'), { errcode: FULL }));
    expect(full).to.include({ code: 'unavailable', message: 'the disk of the copy is full' });
    expect((full as Error).cause).to.include({ code: 'ENOSPC' });
    const failed = toCopyError(Object.assign(new Error('disk I/O error'), { errcode: IOERR }));
    expect(failed).to.include({ code: 'unavailable', message: 'the disk of the store failed' });
  });
});
