import { forEachStore, type StoreKind } from './for-each-store.ts';

let threads: 'on' | 'off' = 'off';

/** Whether nodes of the suite that runs have threads for their search index. */
export const currentThreads = (): 'on' | 'off' => threads;

/**
 * Runs a suite on every engine, with two layouts of the search index: in the thread of the node, and in threads of its
 * own. A node with enough processor cores has those.
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
