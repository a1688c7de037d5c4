import {
  copyFileSync,
  existsSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { all } from '../../../ports/ports.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import { releaseFiles } from '../../kit/release-files.ts';
import { createTemporaryStore, SQLITE_LAYOUTS, type TemporaryStore } from './temporary-store.ts';

const MIB = 2 ** 20;
/** SQLite moves a log that grows 10 MiB longer into the file. */
const UNMOVED_LOG_BYTES = 70 * MIB;

const moved = (path: string): (() => void) => {
  renameSync(path, `${path}.away`);
  return () => {
    rmSync(path, { recursive: true, force: true });
    renameSync(`${path}.away`, path);
  };
};

/** Each act takes the files from their paths, and returns one that puts them back. */
const ACTS: Readonly<Record<string, (path: string) => () => void>> = {
  'the folder is moved': (path) => moved(dirname(path)),
  'the file is moved': moved,
  'the log is moved': (path) => moved(`${path}-wal`),
  'the index of the log is moved': (path) => moved(`${path}-shm`),
  'another file takes the place of the file': (path) => {
    const putBack = moved(path);
    copyFileSync(`${path}.away`, path);
    return putBack;
  },
};

for (const writer of SQLITE_LAYOUTS) {
  describe(`an open SQLite store, written ${writer}`, () => {
    let temporary: TemporaryStore;
    beforeEach(async () => {
      temporary = await createTemporaryStore({ writer }, CORE_MIGRATIONS);
      await storeFacts(temporary.store, [sampleFact(1)]);
    });
    afterEach(() => temporary.stop());

    for (const [act, take] of Object.entries(ACTS)) {
      it(`acknowledges no write while ${act}, and accepts writes when that is undone`, async () => {
        const { store, path } = temporary;
        const putBack = take(path);
        for (const refused of [storeFacts(store, [sampleFact(2)]), store.ping()]) {
          const error = await rejection(refused);
          expect([error['code'], error['message']]).to.deep.equal([
            'unavailable',
            'the files of the store were moved, replaced or removed',
          ]);
          expect(error['hint']).to.include(path);
        }
        putBack();
        await store.ping();
        await storeFacts(store, [sampleFact(3)]);
        const facts = await store.read((snapshot) => snapshot.count(all()));
        expect(facts).to.equal(2);
      });
    }

    it('acknowledges no write while the log of a linked file is moved', async () => {
      const link = join(dirname(dirname(temporary.path)), 'link.db');
      symlinkSync(temporary.path, link);
      const store = await temporary.another({ path: link, writer });
      await storeFacts(store, [sampleFact(2)]);
      const putBack = moved(`${temporary.path}-wal`);
      expect((await rejection(storeFacts(store, [sampleFact(3)])))['code']).to.equal('unavailable');
      putBack();
      await storeFacts(store, [sampleFact(4)]);
      expect(await store.read((snapshot) => snapshot.count(all()))).to.equal(3);
    });

    it('acknowledges no write and keeps the log after its file was emptied', async () => {
      const { store, path } = temporary;
      truncateSync(path);
      for (const refused of [storeFacts(store, [sampleFact(2)]), store.ping()]) {
        expect((await rejection(refused))['code']).to.equal('unavailable');
      }
      const reads = Array.from({ length: 8 }, () => store.read((snapshot) => snapshot.count(all())));
      await Promise.allSettled(reads);
      expect(statSync(`${path}-wal`).size).to.be.greaterThan(0);
    });

    it('acknowledges no write after its log was emptied beside it', async () => {
      const { store, path } = temporary;
      truncateSync(`${path}-wal`);
      const writes = [2, 3, 4].map((seed) => () => storeFacts(store, [sampleFact(seed)]));
      for (const refused of [...writes, () => store.ping()]) {
        expect((await rejection(refused()))['code']).to.be.oneOf(['unavailable', 'commit_unknown']);
      }
    });

    it('opens as of the last state in the file after its log was emptied and it was closed', async () => {
      const { store, path } = temporary;
      await (await temporary.another()).close();
      await storeFacts(store, [sampleFact(2)]);
      truncateSync(`${path}-wal`);
      for (const seed of [3, 4, 5]) await rejection(storeFacts(store, [sampleFact(seed)]));
      await store.close();
      await releaseFiles(dirname(path));
      const opened = await temporary.another();
      expect((await opened.checkStructure?.(() => {}))?.faults).to.deep.equal([]);
      expect(await opened.read((snapshot) => snapshot.count(all()))).to.equal(1);
    });

    it('keeps its file whole where the commit behind an emptied log is due to move the log into the file', async () => {
      const { store, path } = temporary;
      const long = (seed: number) =>
        sampleFact(seed, { value: { type: 'text', v: 'x'.repeat(4 * MIB), interpretAs: 'content' } });
      for (let seed = 2; statSync(`${path}-wal`).size < UNMOVED_LOG_BYTES; seed += 1) {
        await storeFacts(store, [long(seed)]);
      }
      truncateSync(`${path}-wal`);
      const refused = await rejection(storeFacts(store, [101, 102, 103, 104].map(long)));
      expect(refused['code']).to.be.oneOf(['unavailable', 'commit_unknown']);
      await store.close();
      copyFileSync(path, `${path}.copy`);
      const opened = await temporary.another({ path: `${path}.copy` });
      expect((await opened.checkStructure?.(() => {}))?.faults).to.deep.equal([]);
    });

    it('accepts writes where a crash of the machine has left a log without a beginning', async () => {
      const { store, path } = temporary;
      await store.close();
      writeFileSync(`${path}-wal`, Buffer.alloc(20_000));
      const opened = await temporary.another();
      await opened.write('default', async () => {});
      await opened.ping();
      await storeFacts(opened, [sampleFact(2)]);
      await opened.ping();
      expect(await opened.read((snapshot) => snapshot.count(all()))).to.equal(2);
    });

    it('acknowledges no write after its log was cut in the middle', async () => {
      const { store, path } = temporary;
      await storeFacts(store, [sampleFact(2)]);
      await store.ping();
      truncateSync(`${path}-wal`, Math.floor(statSync(`${path}-wal`).size / 2));
      for (const refused of [storeFacts(store, [sampleFact(3)]), store.ping()]) {
        expect((await rejection(refused))['code']).to.equal('unavailable');
      }
    });

    it('is found out by its second check after its log was emptied, without a write of a caller', async () => {
      const { store, path } = temporary;
      await store.ping();
      truncateSync(`${path}-wal`);
      await store.ping();
      expect((await rejection(store.ping()))['code']).to.equal('commit_unknown');
      expect((await rejection(store.ping()))['code']).to.equal('unavailable');
    });

    it('accepts writes after another process has moved the log into the file and emptied it', async () => {
      const { store, path } = temporary;
      for (let seed = 2; seed < 6; seed += 2) {
        await store.ping();
        const other = await temporary.another();
        await storeFacts(other, [sampleFact(seed)]);
        await other.close();
        expect(statSync(`${path}-wal`).size).to.equal(0);
        await store.ping();
        await store.ping();
        await storeFacts(store, [sampleFact(seed + 1)]);
      }
      expect(await store.read((snapshot) => snapshot.count(all()))).to.equal(5);
    });

    it('makes no empty file in the place of a moved one, however many reads there are at once', async () => {
      const { store, path } = temporary;
      const putBack = moved(path);
      const reads = Array.from({ length: 8 }, () => store.read((snapshot) => snapshot.count(all())));
      await Promise.allSettled(reads);
      expect(existsSync(path)).to.equal(false);
      expect((await rejection(store.copyInto?.(dirname(path), {}) ?? Promise.resolve()))['code']).to.equal(
        'unavailable',
      );
      expect(existsSync(path)).to.equal(false);
      putBack();
      expect(await store.read((snapshot) => snapshot.count(all()))).to.equal(1);
    });
  });
}
