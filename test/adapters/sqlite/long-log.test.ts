import { statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { all, type FactStore } from '../../../ports/ports.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { createTemporaryStore, SQLITE_LAYOUTS } from './temporary-store.ts';

const MIB = 2 ** 20;
const TEXT = 'x'.repeat(4 * MIB);
/** One transaction has more than the page cache of the writer holds, so that it writes to the log before its commit. */
const TEXTS_PER_WRITE = 10;
/** SQLite cuts a log that it begins anew to this size. */
const CUT_BYTES = 128 * MIB;
/** Without an end of its growth, the log would hold all that is written. */
const MOST_WRITTEN_BYTES = 1_024 * MIB;

/** Reads overlap until `ended`, so that no instant is without an open one. */
const readWithoutPause = async (store: FactStore, ended: () => boolean): Promise<void> => {
  const open = (): { readonly end: () => void; readonly done: Promise<unknown> } => {
    let end = (): void => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const done = store.read(async (snapshot) => {
      await snapshot.count(all());
      await held;
    });
    return { end, done };
  };
  let last = open();
  while (!ended()) {
    await sleep(1);
    const next = open();
    await sleep(1);
    last.end();
    await last.done;
    last = next;
  }
  last.end();
  await last.done;
};

for (const writer of SQLITE_LAYOUTS) {
  describe(`The log of an SQLite store, writer ${writer}`, () => {
    it('begins anew although reads overlap all the time', async () => {
      const { store, path, stop } = await createTemporaryStore({ writer }, CORE_MIGRATIONS);
      try {
        let isOver = false;
        const reads = readWithoutPause(store, () => isOver);
        const logBytes = (): number => statSync(`${path}-wal`).size;
        let most = 0;
        let written = 0;
        const write = async (): Promise<void> => {
          const numbers = Array.from({ length: TEXTS_PER_WRITE }, (_, at) => written + at + 1);
          const value = { type: 'text', v: TEXT, interpretAs: 'content' } as const;
          await storeFacts(
            store,
            numbers.map((n) => sampleFact(n, { value })),
          );
          written += TEXTS_PER_WRITE;
        };
        while (written * TEXT.length < MOST_WRITTEN_BYTES && logBytes() >= most) {
          most = Math.max(most, logBytes());
          await write();
        }
        const last = logBytes();
        await write();
        isOver = true;
        await reads;
        await write();
        expect(most).to.be.above(CUT_BYTES);
        expect(last).to.equal(CUT_BYTES);
      } finally {
        await stop();
      }
    });
  });
}
