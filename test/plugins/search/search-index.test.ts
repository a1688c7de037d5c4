import { describeSearchIndex } from '../../contract/search-index-contract.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

describeSearchIndex('in memory', ({ plugins, settings }) =>
  startTestNode({ plugins: [...plugins, 'search'], settings }),
);
