import { copyFileSync, existsSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { all } from '../../../ports/ports.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import { createTemporaryStore, SQLITE_LAYOUTS, type TemporaryStore } from './temporary-store.ts';

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
