import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { createLeases } from '../../../kernel/leases/create-leases.ts';
import type { HeldLease } from '../../../kernel/plugin-api.ts';
import { narrowTransaction } from '../../../kernel/store/narrow-transaction.ts';
import type { FactStore } from '../../../ports/ports.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { createMemoryLogger } from '../../fakes/memory-logger.ts';
import { endLeases } from '../../kit/end-leases.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { placeTestStore, type TestStore } from '../../kit/test-store.ts';

const KEY = 'units done';

/** A worker that reads the state, works for any time, and writes the result. */
class Worker {
  readonly #store: FactStore;
  readonly lease: HeldLease;
  #begun: { readonly fence: number; readonly units: number } | undefined;
  committed = 0;

  constructor(store: FactStore, lease: HeldLease) {
    this.#store = store;
    this.lease = lease;
  }

  async begin(): Promise<void> {
    if (!this.lease.held) return;
    const { fence } = this.lease;
    const [row] = await this.#store.read((snapshot) => snapshot.select('node_settings', { key: KEY }));
    this.#begun = { fence, units: Number(row?.['value']) };
  }

  async finish(): Promise<void> {
    const begun = this.#begun;
    this.#begun = undefined;
    if (begun === undefined) return;
    const record = this.#store.write('default', async (transaction) => {
      await this.lease.confirm(narrowTransaction(transaction), begun.fence);
      await transaction
        .table('node_settings')
        .where({ key: KEY })
        .update({ value: String(begun.units + 1) });
    });
    await record.then(
      () => {
        this.committed += 1;
      },
      (error: { code?: string }) => expect(error.code).to.equal('conflict'),
    );
  }
}

forEachStore('workers that share a lease', (kind) => {
  let folder: string;
  let place: TestStore;
  let stores: FactStore[];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leases-'));
    place = await placeTestStore(kind, folder);
    stores = [place.open(), place.open()];
    await stores[0]?.migrate(CORE_MIGRATIONS);
    await stores[0]?.write('default', (tx) => tx.insertRows('node_settings', [{ key: KEY, value: '0' }]));
  });
  after(async () => {
    for (const store of stores) await store.close();
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  it('read all leases that they want in one snapshot', async () => {
    const [store] = stores as [FactStore];
    let snapshots = 0;
    const counting = new Proxy(store, {
      get(target, name) {
        if (name === 'read') snapshots += 1;
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const leases = createLeases({ store: counting, clock: createManualClock(), log: createMemoryLogger([]) });
    const wanted = ['one', 'another', 'a third'].map((name) => leases.hold(name));
    await leases.begin();
    expect(wanted.map(({ held }) => held)).to.deep.equal([true, true, true]);
    expect(snapshots).to.equal(1);
    await leases.close();
  });

  it('never record two results for one piece of work, however long a worker pauses', async () => {
    const step = fc.record({
      worker: fc.nat(1),
      act: fc.constantFrom('begin', 'finish', 'finish', 'attempt', 'expire', 'all finish'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 16 }), async (steps) => {
        const [store] = stores as [FactStore];
        await store.write('default', async (tx) => {
          await tx.table('leases').delete();
          await tx.table('node_settings').where({ key: KEY }).update({ value: '0' });
        });
        const processes = stores.map((each) =>
          createLeases({ store: each, clock: createManualClock(), log: createMemoryLogger([]) }),
        );
        for (const leases of processes) await leases.begin();
        const workers = processes.map((leases, at) => new Worker(stores[at] as FactStore, leases.hold('work')));
        for (const { worker: at, act } of steps) {
          const worker = workers[at] as Worker;
          if (act === 'begin') await worker.begin();
          else if (act === 'finish') await worker.finish();
          else if (act === 'attempt') await worker.lease.attempt();
          else if (act === 'all finish') await Promise.all(workers.map((each) => each.finish()));
          else await endLeases(store);
        }
        for (const leases of processes) await leases.close();
        const [row] = await store.read((snapshot) => snapshot.select('node_settings', { key: KEY }));
        expect(Number(row?.['value'])).to.equal(workers.reduce((sum, { committed }) => sum + committed, 0));
      }),
      { numRuns: RUNS },
    );
  });
});
