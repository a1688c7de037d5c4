import { expect } from 'chai';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import type { Hlc } from '../../../kernel/plugin-api.ts';
import { SearchIndex } from '../../../plugins/search/search-api.ts';
import { SearchNode, type StartSearchNode } from '../../contract/search-index/search-node.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const PATIENCE_MS = 50;
/** Enough for an index to answer once, also on a slow machine. */
const TIME_FOR_ANSWERS_MS = 2_000;
const STAMP = '0' as unknown as Hlc;

const startWith = (members: Partial<SearchIndex>, patienceMs = PATIENCE_MS): Promise<SearchNode> => {
  const index: SearchIndex = {
    ready: async () => null,
    isMakingVectors: async () => false,
    embedders: async () => [],
    ask: async (plan) => plan.map(() => ({ hits: [] })),
    ...members,
  };
  const acme = defineOwnPlugin({
    name: 'acme-search',
    provides: [SearchIndex],
    setup: ({ provide }) => provide(SearchIndex, index),
  });
  const start: StartSearchNode = ({ plugins, settings }) => startTestNode({ plugins: [...plugins, acme], settings });
  return SearchNode.start(start, 'acme', patienceMs);
};

describe('the test suite for search indexes', () => {
  for (const [what, ready, reason] of [
    ['never resolves ready()', () => new Promise<never>(() => {}), 'ready() never resolved'],
    ['is never ready', async () => STAMP, 'ready() resolved with a stamp each time, never with null'],
  ] as const) {
    it(`names an index that ${what}, and what the suite waited for`, async () => {
      const suite = await startWith({ ready });
      const { message } = await rejection(suite.say({ entity: 'user:a' }));
      await suite.node.stop();
      expect(message).to.equal(`the search index "acme" did not follow all changes within 0.05 s: ${reason}`);
    });
  }

  it('names an index that finds no vectors', async () => {
    const suite = await startWith({}, TIME_FOR_ANSWERS_MS);
    const ids = await suite.say({ entity: 'user:a' });
    const { message } = await rejection(suite.embed(ids, suite.view()));
    await suite.node.stop();
    expect(message).to.contain('"acme" did not find 1 facts by their vectors').and.to.contain('"spread" found 0');
  });
});
