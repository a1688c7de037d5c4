import { forEachStore, type StoreKind } from './for-each-store.ts';

let threads: 'on' | 'off' = 'off';

/** Returns whether nodes of the running suite use threads for their search index. */
export const currentThreads = (): 'on' | 'off' => threads;

/**
 * Runs a suite on every engine, once with the search index in the main thread and once in separate threads. A node with
 * enough processor cores uses threads.
 */
export const forEachLayout = (title: string, suite: (store: StoreKind) => void): void => {
  forEachStore(title, suite);
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
