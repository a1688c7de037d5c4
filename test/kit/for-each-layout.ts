import { forEachStore, type StoreKind } from './for-each-store.ts';

let threads: 'on' | 'off' = 'off';

/** Returns whether nodes of the running suite use threads for their search index. */
export const currentThreads = (): 'on' | 'off' => threads;

/**
 * Runs a suite with the search index in the main thread, and on every engine with the index in separate threads. A node
 * with enough processor cores uses threads. Main thread and PostgreSQL need no runs of their own: the index gets facts
 * from the feed and never reads the store, so the layout changes no query.
 */
export const forEachLayout = (title: string, suite: (store: StoreKind) => void): void => {
  describe(`${title}, on SQLite`, () => suite('sqlite'));
  forEachStore(`${title}, in threads`, (store) => {
    before(() => {
      threads = 'on';
    });
    after(() => {
      threads = 'off';
    });
    suite(store);
  });
};
