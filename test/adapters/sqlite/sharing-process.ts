import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { createSqliteStore } from '../../../adapters/sqlite/create-sqlite-store.ts';
import { sampleFact } from '../../kit/fact-samples.ts';

/**
 * A process that shares a store: `node sharing-process.js PATH FIRST COUNT [LAYOUT]`. It migrates the store and then
 * stores COUNT sample facts, each in its own concurrent write.
 */
const [path = '', first = '0', count = '0', writer = 'inline'] = process.argv.slice(2);
const store = createSqliteStore({ path, writer: writer === 'thread' ? 'thread' : 'inline' });
await store.migrate(CORE_MIGRATIONS);
const numbers = Array.from({ length: Number(count) }, (_, at) => Number(first) + at);
await Promise.all(
  numbers.map((n) =>
    store.write('default', async (transaction) => {
      const { wallMs, counter } = await transaction.lockClock();
      const tick = { wallMs, counter: counter + 1 };
      await transaction.insert([sampleFact(n, { hlc: tick, feed: tick })]);
      await transaction.saveClock(tick);
    }),
  ),
);
await store.close();
