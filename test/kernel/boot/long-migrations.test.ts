import { expect } from 'chai';
import { LONG_MIGRATION_MS } from '../../../kernel/boot/migrate-store.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

describe('migrations that report no progress, such as ones that wait for a lock', () => {
  it('are logged every ten seconds with their age, until they are done', async () => {
    const clock = createManualClock();
    const node = await startTestNode({
      plugins: ['facts'],
      clock,
      wrapStore: (store) => {
        const migrate = store.migrate.bind(store);
        return Object.assign(store, {
          migrate: async (...given: Parameters<typeof migrate>) => {
            await clock.advance(2 * LONG_MIGRATION_MS);
            return migrate(...given);
          },
        });
      },
    });
    try {
      await clock.advance(LONG_MIGRATION_MS);
      const lines = node.logLines.filter(({ message }) => message.startsWith('the migrations of the store'));
      expect(lines.map(({ level, fields }) => [level, fields['seconds']])).to.deep.equal([
        ['warn', 10],
        ['warn', 20],
      ]);
    } finally {
      await node.stop();
    }
  });
});
