import { expect } from 'chai';
import { createPostgresStore } from '../../../adapters/postgres/create-postgres-store.ts';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { all, type FactStore } from '../../../ports/ports.ts';
import { sampleFact, storeFacts } from '../../kit/fact-samples.ts';
import { type PostgresProcess, startPostgres } from '../../kit/postgres-process.ts';
import { rejection } from '../../kit/rejection.ts';

describe('a PostgreSQL store whose server goes away and comes back', () => {
  let server: PostgresProcess;
  let store: FactStore;
  before(async () => {
    server = await startPostgres();
    store = createPostgresStore({ url: server.url });
    await store.migrate(CORE_MIGRATIONS);
  });
  after(async () => {
    await store.close();
    await server.stop();
  });

  for (const [n, how] of (['fast', 'crash'] as const).entries()) {
    it(`is unavailable during the outage, and has all its data afterwards: ${how}`, async () => {
      await storeFacts(store, [sampleFact(2 * n)]);
      const held = store.read(async (snapshot) => {
        await snapshot.count(all());
        await server.halt(how);
        return snapshot.count(all());
      });
      expect(await rejection(held)).to.include({ code: 'unavailable' });
      for (const attempt of [
        () => storeFacts(store, [sampleFact(99)]),
        () => store.read((snapshot) => snapshot.count(all())),
        () => store.table('facts').select('id'),
        () => store.ping(),
        () => store.tables(),
      ]) {
        const error = await rejection(attempt());
        expect(error).to.include({ code: 'unavailable', status: 503 });
        expect(error['headers']).to.deep.equal({ 'Retry-After': '1' });
      }
      await server.resume();
      await store.ping();
      await storeFacts(store, [sampleFact(2 * n + 1)]);
      expect(await store.read((snapshot) => snapshot.count(all()))).to.equal(2 * n + 2);
    });
  }
});
