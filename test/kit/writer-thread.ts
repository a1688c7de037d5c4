import { currentStore } from './for-each-store.ts';

type Writer = 'inline' | 'thread';

let writer: Writer = 'inline';

/** Returns the layout of the SQLite writer in the running suite, which is the same on every machine. */
export const currentWriter = (): Writer => (currentStore() === 'sqlite' ? writer : 'inline');

/** Runs a suite whose SQLite stores use a writer thread, as nodes do on machines with enough cores. */
export const withWriterThread = (title: string, suite: () => void): void => {
  describe(`${title}, with a writer thread`, () => {
    before(() => {
      writer = 'thread';
    });
    after(() => {
      writer = 'inline';
    });
    suite();
  });
};
