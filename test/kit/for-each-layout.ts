import { forEachStore, type StoreKind } from './for-each-store.ts';

let threads: 'on' | 'off' = 'off';

/** Whether nodes of the suite that runs have threads for their search index. */
export const currentThreads = (): 'on' | 'off' => threads;

/**
 * A suite that runs once on every engine with the search index in the thread of the node, and once with threads of its
 * own, as a node has it where there are processor cores for them.
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
