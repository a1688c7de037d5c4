import { describeChanges } from './search-index/changes.ts';
import { describeHostileSearches } from './search-index/hostile-searches.ts';
import { describePlans } from './search-index/plans.ts';
import { sayCorpus } from './search-index/sample-corpus.ts';
import { SearchNode, type StartSearchNode } from './search-index/search-node.ts';
import { describeVectors } from './search-index/vectors.ts';
import { describeWords } from './search-index/words.ts';

export type { SearchNodeOptions, StartSearchNode } from './search-index/search-node.ts';

/** The time limit of each test, because an engine outside the process may need longer than mocha's two seconds. */
const TIME_LIMIT_MS = 60_000;

/**
 * The contract of every plugin that provides `SearchIndex`: any view, plan and change of the facts. Words, statistics
 * and orders must equal those of a reference that scores each fact for each question. `start` starts a node with the
 * given options and the plugin; the suite asserts facts on it and stops it.
 */
export const describeSearchIndex = (name: string, start: StartSearchNode): void => {
  describe(`search index: ${name}`, function () {
    this.timeout(TIME_LIMIT_MS);
    let node: SearchNode;
    const current = (): SearchNode => node;
    before(async () => {
      node = await SearchNode.start(start, name);
      await sayCorpus(node);
      const embedded = (await node.live(node.view())).filter(({ confidence }) => confidence >= 0.1);
      await node.embed(
        embedded.map(({ id }) => id),
        node.view(),
      );
    });
    after(() => node?.node.stop());

    describe('words', () => describeWords(current));
    describe('vectors', () => describeVectors(current));
    describe('plans', () => describePlans(current));
    describe('changes', () => describeChanges(current));
    describe('hostile searches', () => describeHostileSearches(current));
  });
};
