import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { openWriter } from '../../../adapters/sqlite/open-connection.ts';
import { scrubFile } from '../../../adapters/sqlite/scrub-file.ts';
import type { SqliteConnection } from '../../../adapters/sqlite/sqlite-connection.ts';
import { loadSqliteDriver } from '../../../adapters/sqlite/sqlite-driver.ts';
import { all, type FactStore } from '../../../ports/ports.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { sampleFact, sampleId } from '../../kit/fact-samples.ts';
import { folderBytes } from '../../kit/folder-bytes.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { rejection } from '../../kit/rejection.ts';
import { createTemporaryStore, SQLITE_LAYOUTS } from './temporary-store.ts';

const CANARY = 'canary-7f3a';
const FACTS = 400;
const COMMITMENT = new Uint8Array(32).fill(1);
/** Each run starts a process. */
const CHURNS = Math.ceil(RUNS / 50);

const canaryFact = (at: number) =>
  sampleFact(at, {
    value: { type: 'string', v: `${CANARY} ${at} `.repeat(1 + (at % 40)), interpretAs: 'content' },
  });

/** Stores facts one by one in a scattered order, so that pages split. */
const fill = async (stores: readonly FactStore[], from: number): Promise<string[]> => {
  const cids: string[] = [];
  for (let at = from; at < from + FACTS; at += 1) {
    const fact = canaryFact(at);
    cids.push(fact.cid);
    await (stores[at % stores.length] as FactStore).write('default', (transaction) => transaction.insert([fact]));
  }
  return cids;
};

const erase = (store: FactStore, from: number): Promise<void> =>
  store.write('default', (transaction) =>
    transaction.erase(Array.from({ length: FACTS }, (_, at) => ({ id: sampleId(from + at), commitment: COMMITMENT }))),
  );

const faultsOf = (path: string): unknown => {
  const database = loadSqliteDriver().open(path);
  const statement = database.prepare('PRAGMA integrity_check');
  statement.setReturnArrays(true);
  const rows = statement.all();
  database.close();
  return rows;
};

for (const writer of SQLITE_LAYOUTS) {
  describe(`A scrubbed SQLite file, written ${writer}`, () => {
    it('contains neither an erased value nor its content id on any page', async () => {
      const { store, path, stop } = await createTemporaryStore({ writer });
      try {
        await store.migrate(CORE_MIGRATIONS);
        const cids = await fill([store], 1);
        await erase(store, 1);
        expect(await folderBytes(dirname(path))).to.include(CANARY);
        await store.scrub();
        const left = await folderBytes(dirname(path));
        expect(left).to.not.include(CANARY);
        expect(cids.filter((cid) => left.includes(cid))).to.deep.equal([]);
      } finally {
        await stop();
      }
    });

    it('contains no erased value while two stores on the file keep writing', async () => {
      const { store, another, path, stop } = await createTemporaryStore({ writer });
      try {
        await store.migrate(CORE_MIGRATIONS);
        const stores = [store, await another({ writer })];
        await fill(stores, 1);
        await erase(store, 1);
        let isScrubbing = true;
        const scrubbed = store.scrub().finally(() => {
          isScrubbing = false;
        });
        let written = 0;
        for (; isScrubbing; written += 1) {
          const fact = sampleFact(10_000 + written);
          await (stores[written % 2] as FactStore).write('default', (transaction) => transaction.insert([fact]));
          await store.ping();
          // An inline write takes no turn of the event loop.
          await new Promise((resolve) => setImmediate(resolve));
        }
        await scrubbed;
        expect(written).to.be.above(1);
        await Promise.all(stores.map((one) => one.close()));
        expect(await folderBytes(dirname(path))).to.not.include(CANARY);
        expect(faultsOf(path)).to.deep.equal([['ok']]);
        const opened = await another({ writer });
        expect(await opened.read((snapshot) => snapshot.count(all()))).to.equal(FACTS + written);
      } finally {
        await stop();
      }
    });
  });
}

describe('the scrub of an SQLite file', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'scrub-'));
    path = join(folder, 'a.db');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (): SqliteConnection => openWriter({ driver: loadSqliteDriver(), path, busyTimeoutMs: 0 });

  it('keeps every row and no byte of a deleted one, after any writes and deletions', async () => {
    for (let seed = 1; seed <= CHURNS; seed += 1) {
      const connection = open();
      churn(connection, seed);
      const before = rowsOf(connection);
      connection.checkpoint();
      expect(await folderBytes(folder), `seed ${seed}`).to.include(CANARY);
      await scrubFile(path, atOnce);
      // Writes from the cached pages of before, unless the scrub makes connections drop them.
      for (const [from, to] of [
        ['row', 'ROW'],
        ['ROW', 'row'],
      ]) {
        connection.exec(`UPDATE keyed SET text = replace(text, '${from}', '${to}')`);
        connection.exec(`UPDATE numbered SET text = replace(text, '${from}', '${to}')`);
      }
      expect(rowsOf(connection), `seed ${seed}`).to.deep.equal(before);
      connection.checkpoint();
      connection.close();
      expect(faultsOf(path), `seed ${seed}`).to.deep.equal([['ok']]);
      const bytes = await folderBytes(folder);
      expect(bytes).to.include(KEPT);
      expect(bytes, `seed ${seed}`).to.not.include(CANARY);
    }
  });

  it('refuses a damaged file and leaves its bytes alone', async () => {
    const connection = open();
    churn(connection, 1);
    connection.checkpoint();
    connection.close();
    const damaged = await readFile(path);
    damaged[PAGE_BYTES] = 7;
    await writeFile(path, damaged);
    expect(await rejection(scrubFile(path, atOnce))).to.include({ code: 'unavailable' });
    expect((await readFile(path)).equals(damaged)).to.equal(true);
  });
});

const atOnce = (work: () => Promise<void>): Promise<void> => work();

const PAGE_BYTES = 4_096;

const KEPT = 'a row that stays';

const TABLES = ['numbered', 'keyed'] as const;

/** Writes rows of up to several pages in random order, deletes some, and empties those with the canary. */
const churn = (connection: SqliteConnection, seed: number): void => {
  const random = createSeededRandom(seed);
  const drawn = (below: number): number => Math.floor(random.fraction() * below);
  connection.exec(`
    CREATE TABLE IF NOT EXISTS numbered (id INTEGER PRIMARY KEY, key TEXT, text TEXT);
    CREATE INDEX IF NOT EXISTS numbered_text ON numbered (text, key);
    CREATE TABLE IF NOT EXISTS keyed (key TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID;
    BEGIN;
  `);
  for (let at = 0; at < 4_000; at += 1) {
    const table = TABLES[drawn(2)];
    const text = `${drawn(2) === 0 ? KEPT : CANARY} ${drawn(100_000)} `.repeat(1 + drawn(drawn(20) === 0 ? 500 : 50));
    connection.rows(`INSERT OR REPLACE INTO ${table} (key, text) VALUES (?, ?)`, [String(drawn(100_000)), text]);
    if (drawn(50) === 0) connection.rows(`DELETE FROM ${table} WHERE key < ?`, [String(10_000 + drawn(2_000))]);
  }
  for (const table of TABLES) connection.rows(`UPDATE ${table} SET text = '' WHERE text LIKE ?`, [`${CANARY}%`]);
  connection.exec('COMMIT');
};

const rowsOf = (connection: SqliteConnection): unknown[] =>
  TABLES.flatMap((table) => connection.rows(`SELECT key, text FROM ${table} ORDER BY key, text`, []));
