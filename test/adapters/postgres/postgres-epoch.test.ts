import { expect } from 'chai';
import { createPostgresStore } from '../../../adapters/postgres/create-postgres-store.ts';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import type { FactStore } from '../../../ports/ports.ts';
import { beginEpoch } from '../../kit/fact-samples.ts';
import { type PostgresProcess, startPostgres } from '../../kit/postgres-process.ts';
import { administer } from '../../kit/postgres-server.ts';

const epochOf = (store: FactStore): Promise<string> => store.read((snapshot) => snapshot.epoch());

describe('the epoch of a PostgreSQL store', () => {
  let server: PostgresProcess;
  let store: FactStore;
  before(async () => {
    server = await startPostgres({ wal_level: 'replica', restore_command: 'false' });
    store = createPostgresStore({ url: server.url });
    await store.migrate(CORE_MIGRATIONS);
  });
  after(async () => {
    await store.close();
    await server.stop();
  });

  it('survives a restart, and changes after a recovery that may have lost the last facts', async () => {
    const first = await epochOf(store);
    expect(first).to.match(/^[0-9a-f]{32}$/);
    await server.halt();
    await server.resume();
    expect(await epochOf(store)).to.equal(first);
    const [{ folder } = {}] = await administer(server.url, "SELECT current_setting('data_directory') AS folder");
    await administer(server.url, `COPY (SELECT 1) TO '${folder}/recovery.signal'`);
    await server.halt();
    await server.resume();
    await store.ping();
    const recovered = await epochOf(store);
    expect(recovered)
      .to.match(/^[0-9a-f]{32}$/)
      .and.not.equal(first);
    expect(await epochOf(store)).to.equal(recovered);
  });

  it('exists, and changes on request, on a server that hides its recovery history', async () => {
    await administer(server.url, 'REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
    await administer(server.url, "CREATE ROLE guest LOGIN PASSWORD 'guest'");
    await administer(server.url, 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest');
    const url = Object.assign(new URL(server.url), { username: 'guest', password: 'guest' }).href;
    const guest = createPostgresStore({ url });
    const first = await epochOf(guest);
    expect(await epochOf(guest)).to.equal(first);
    await store.write('default', (transaction) => beginEpoch(transaction, 'another'));
    expect(await epochOf(guest)).not.to.equal(first);
    await guest.close();
  });
});
