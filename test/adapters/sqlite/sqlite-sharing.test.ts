import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { loadSqliteDriver } from '../../../adapters/sqlite/sqlite-driver.ts';
import { all, type FactStore } from '../../../ports/ports.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { createTemporaryStore, SQLITE_LAYOUTS, type SqliteLayout, type TemporaryStore } from './temporary-store.ts';

const PROCESS = fileURLToPath(new URL('./sharing-process.js', import.meta.url));

const run = promisify(execFile);

/** Stores `count` sample facts, beginning with number `first`, in a separate process. */
const share = (path: string, first: number, count: number, writer: SqliteLayout = 'inline') =>
  run(process.execPath, [PROCESS, path, String(first), String(count), writer]);

/** Returns the counters of all stamps, in feed order. */
const counters = (store: FactStore): Promise<number[]> =>
  store.read(async (snapshot) =>
    (await snapshot.feedAfter({ wallMs: -1, counter: 0 }, 10_000)).map(({ stamp }) => stamp.counter),
  );

const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

describe('an SQLite file', () => {
  let temporary: TemporaryStore;
  beforeEach(async () => {
    temporary = await createTemporaryStore();
  });
  afterEach(() => temporary.stop());

  it('accepts writes from three processes at once without a lost write or a repeated stamp, in either layout', async () => {
    await temporary.store.migrate(CORE_MIGRATIONS);
    await Promise.all([
      share(temporary.path, 0, 150),
      share(temporary.path, 1_000, 150, 'thread'),
      share(temporary.path, 2_000, 150, 'thread'),
    ]);
    expect(await counters(temporary.store)).to.deep.equal(upTo(450));
    expect(await temporary.store.read((snapshot) => snapshot.count(all()))).to.equal(450);
  });

  it('can be created by several processes that start together', async () => {
    await Promise.all([0, 1, 2, 3].map((at) => share(temporary.path, at * 10, 5, SQLITE_LAYOUTS[at % 2])));
    expect(await counters(temporary.store)).to.deep.equal(upTo(20));
    const versions = await temporary.store.read((snapshot) => snapshot.table('schema_migrations').pluck('version'));
    expect(versions).to.have.members(['001_init', '011_facts_garden_attested', '012_multi_tenant']);
  });

  it('makes one change of the schema wait for another one, without limit', async () => {
    const hurried = await temporary.another({ busyTimeoutMs: 0, writer: 'thread' });
    const slow = { owner: 'notes', number: 900, name: 'slow', up: async () => {} };
    let migrated: Promise<unknown> | undefined;
    const first = {
      ...slow,
      up: async () => {
        migrated = hurried.migrate([...CORE_MIGRATIONS, slow]);
        for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      },
    };
    await temporary.store.migrate([...CORE_MIGRATIONS, first]);
    await migrated;
  });

  it('can be read while another process writes, and never shows fewer facts than before', async () => {
    await temporary.store.migrate(CORE_MIGRATIONS);
    let writing = true;
    const written = share(temporary.path, 0, 300).finally(() => {
      writing = false;
    });
    const heads: number[] = [];
    while (writing) {
      const [count, head] = await temporary.store.read(async (snapshot) => [
        await snapshot.count(all()),
        await snapshot.head(),
      ]);
      expect(head?.counter ?? 0).to.equal(count);
      heads.push(count);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await written;
    expect(heads).to.deep.equal([...heads].sort((one, other) => one - other));
    expect(await temporary.store.read((snapshot) => snapshot.count(all()))).to.equal(300);
  });

  it('is intact after stores on it were closed in any order', async () => {
    await temporary.store.migrate(CORE_MIGRATIONS);
    const other = await temporary.another({ writer: 'thread' });
    await storeFacts(temporary.store, [sampleFact(1)]);
    await temporary.store.close();
    await storeFacts(other, [sampleFact(2)]);
    await other.close();
    const database = loadSqliteDriver().open(temporary.path);
    const check = database.prepare('PRAGMA integrity_check');
    check.setReturnArrays(true);
    expect(check.all()).to.deep.equal([['ok']]);
    database.close();
  });
});
