import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { type FactStore, type FeedEntry, type Hlc, ServiceError, type WriteTransaction } from '../../../ports/ports.ts';
import { createGate } from '../../kit/create-gate.ts';
import { factById, sampleFact, sampleId, storeFacts } from '../../kit/fact-samples.ts';
import { administer } from '../../kit/postgres-server.ts';
import { rejection } from '../../kit/rejection.ts';
import { createTemporaryDatabase, type TemporaryDatabase } from './temporary-database.ts';

const ZERO: Hlc = { wallMs: 0, counter: 0 };

/** Ticks the clock as the kernel does, and stores one fact under the new stamp. */
const append = async (transaction: WriteTransaction, n: number, tenantId: string): Promise<void> => {
  const { wallMs, counter } = await transaction.lockClock();
  const tick = { wallMs, counter: counter + 1 };
  await transaction.insert([sampleFact(n, { tenantId, hlc: tick, feed: tick })]);
  await transaction.saveClock(tick);
};

/** Reads the feed repeatedly, as a peer would, until `enough` returns true. */
const follow = async (store: FactStore, enough: (seen: readonly FeedEntry[]) => boolean): Promise<FeedEntry[]> => {
  const seen: FeedEntry[] = [];
  while (!enough(seen)) {
    const after = seen.at(-1)?.stamp ?? ZERO;
    seen.push(...(await store.read((snapshot) => snapshot.feedAfter(after, 7))));
  }
  return seen;
};

describe('PostgreSQL stores on one database', () => {
  let temporary: TemporaryDatabase;
  let store: FactStore;
  beforeEach(async () => {
    temporary = await createTemporaryDatabase();
    ({ store } = temporary);
    await store.migrate(CORE_MIGRATIONS);
  });
  afterEach(() => temporary.stop());

  it('let a tenant write while another one writes without pause, over a single connection', async () => {
    const narrow = await temporary.another({ poolSize: 4, connectTimeoutMs: 1_000 });
    let done = false;
    let writes = 0;
    const restless = async (): Promise<void> => {
      while (!done) await narrow.write('one', (transaction) => append(transaction, ++writes, 'one'));
    };
    const neighbours = [restless(), restless(), restless()];
    const quiet = await narrow
      .write('two', async () => 'written')
      .finally(() => {
        done = true;
      });
    await Promise.all(neighbours);
    expect(quiet).to.equal('written');
  });

  it('show an eager reader of the feed every fact once, in stamp order, from every process', async () => {
    const WRITES = 40;
    const stores = [store, await temporary.another(), await temporary.another()];
    const tenants = ['one', 'two'];
    const reader = await temporary.another();
    const reading = follow(reader, (seen) => seen.length === WRITES * stores.length);
    await Promise.all(
      stores.flatMap((each, at) =>
        Array.from({ length: WRITES }, (_, n) => {
          const tenant = tenants[n % tenants.length] as string;
          return each.write(tenant, (transaction) => append(transaction, at * WRITES + n, tenant));
        }),
      ),
    );
    const seen = await reading;
    expect(seen.map(({ stamp }) => stamp.counter)).to.deep.equal(seen.map((_, at) => at + 1));
    expect(new Set(seen.map(({ subjectId }) => subjectId)).size).to.equal(WRITES * stores.length);
  });

  it('see in a write everything that earlier writes of other processes committed', async () => {
    const other = await temporary.another();
    const sizes: number[] = [];
    const write = (through: FactStore, n: number) =>
      through.write('default', async (transaction) => {
        const { length } = await transaction.select('facts', {});
        await transaction.insert([sampleFact(n)]);
        sizes.push(length);
      });
    await Promise.all(Array.from({ length: 30 }, (_, n) => write(n % 2 === 0 ? store : other, n)));
    expect(sizes.sort((one, next) => one - next)).to.deep.equal(Array.from({ length: 30 }, (_, n) => n));
  });

  it('keep working when one of them changes a shared table', async () => {
    const other = await temporary.another();
    const rows = (through: FactStore) => through.read((snapshot) => snapshot.select('node_settings', {}));
    await storeFacts(store, [sampleFact(1)]);
    for (let time = 0; time < 10; time += 1) await Promise.all([rows(store), rows(store)]);
    const widen = {
      owner: 'core',
      number: 13,
      name: 'widen',
      up: ({ schema }) => schema.alterTable('node_settings', (table) => void table.text('more')),
    } satisfies (typeof CORE_MIGRATIONS)[number];
    await other.migrate([...CORE_MIGRATIONS, widen]);
    const written = await store.write('default', async (transaction) => {
      await transaction.insertRows('node_settings', [{ key: 'a', value: 'b' }]);
      return transaction.select('node_settings', {});
    });
    expect(written).to.deep.equal([{ key: 'a', value: 'b', more: null }]);
    expect(await rows(store)).to.deep.equal(written);
    await store.write('default', (tx) => tx.insertRows('node_settings', [{ key: 'b', value: 'c', more: 'd' }]));
    expect(await rows(other)).to.have.length(2);
  });

  it('lend connections in order, and report when none becomes free in time', async () => {
    // The limit holds for opening a session too, which takes long on a busy machine.
    const small = await temporary.another({ poolSize: 4, connectTimeoutMs: 3_000 });
    const { passed: gate, open: release } = createGate();
    const held = Array.from({ length: 3 }, () => small.read(() => gate));
    const error = await rejection(small.read(async () => {}));
    expect(error).to.be.instanceOf(ServiceError).and.include({ code: 'unavailable' });
    expect(error.message).to.include('busy');
    // Writes use connections of their own.
    await storeFacts(small, [sampleFact(1)]);
    const waiting = small.read(async (snapshot) => (await factById(snapshot, sampleId(1)))?.id);
    release();
    expect(await waiting).to.equal(sampleId(1));
    await Promise.all(held);
  });

  it('open no more connections than their share of those that the server allows', async () => {
    const name = new URL(temporary.url).pathname.slice(1);
    await administer(temporary.url, `ALTER DATABASE ${name} CONNECTION LIMIT 12`);
    const bounded = await temporary.another({ poolSize: 16, processes: 2, connectTimeoutMs: 3_000 });
    const { passed: gate, open: release } = createGate();
    // Six for each process: one to listen, one to write, and four to read.
    const held = Array.from({ length: 4 }, () => bounded.read(() => gate));
    expect(await rejection(bounded.read(async () => {}))).to.include({ code: 'unavailable', status: 503 });
    release();
    await Promise.all(held);
    const crowded = await temporary.another({ processes: 3 });
    const error = await rejection(crowded.ping());
    expect(error).to.include({ code: 'unavailable' });
    expect(error.message).to.equal('the database allows 12 connections, and the node needs 15');
    expect(error['hint']).to.include('SVC_WORKERS').and.include('max_connections');
  });

  it('refuse a number that JavaScript cannot hold exactly', async () => {
    const largest = Number.MAX_SAFE_INTEGER;
    await storeFacts(store, [sampleFact(1, { timestampMs: largest })]);
    expect((await store.read((snapshot) => factById(snapshot, sampleId(1))))?.timestampMs).to.equal(largest);
    await administer(temporary.url, `UPDATE ledgers SET feed_wall = ${largest}::bigint + 2`);
    const error = await rejection(store.read((snapshot) => snapshot.head()));
    expect(error.message).to.include('cannot hold exactly');
    expect(await store.read((snapshot) => snapshot.feedAfter(ZERO, 1))).to.have.length(1);
  });
});
