import { currentStore } from './for-each-store.ts';

type Writer = 'inline' | 'thread';

let writer: Writer = 'inline';

/** The writer of SQLite's file, in stores of the suite that runs: the same on every machine. */
export const currentWriter = (): Writer => (currentStore() === 'sqlite' ? writer : 'inline');

/** A suite whose stores on SQLite are written by a thread, as those of a node are where there are cores for it. */
export const withWriterThread = (title: string, suite: () => void): void => {
  describe(`${title}, with a thread that writes`, () => {
    before(() => {
      writer = 'thread';
    });
    after(() => {
      writer = 'inline';
    });
    suite();
  });
};
