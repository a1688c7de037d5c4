import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeSearchIndex, type StartSearchNode } from '../../contract/search-index-contract.ts';
import { scratchPlace } from '../../kit/scratch-place.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

describeSearchIndex('in memory', ({ plugins, settings }) =>
  startTestNode({ plugins: [...plugins, 'search'], settings }),
);

/** Starts a worker that asks the index of another one. Both have one clock. */
const startAsker: StartSearchNode = async ({ plugins, settings }) => {
  const options = { plugins: [...plugins, 'search'], settings };
  const folder = await mkdtemp(join(await scratchPlace(), 'asker-'));
  const holder = await startTestNode({ ...options, folder, worker: 0 });
  const asker = await startTestNode({ ...options, folder, worker: 1, clock: holder.clock });
  return {
    ...asker,
    stop: async () => {
      await asker.stop();
      await holder.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

describeSearchIndex('in the memory of another worker', startAsker);
