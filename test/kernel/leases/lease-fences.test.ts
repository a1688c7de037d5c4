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

  /** A store that calls `before` with the first argument of each read and write. */
  const watched = (store: FactStore, before: (name: 'read' | 'write', lock: unknown) => void): FactStore =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'read' && name !== 'write') return member.bind(target);
        return async (...args: unknown[]) => {
          before(name, args[0]);
          return member.apply(target, args);
        };
      },
    });
  const leasesOn = (store: FactStore) =>
    createLeases({ store, clock: createManualClock(), log: createMemoryLogger([]) });
  const NAMES = ['one', 'another', 'a third'];

  it('take all leases that they want in one snapshot and one commit, and give them back in another', async () => {
    const [store] = stores as [FactStore];
    const calls: string[] = [];
    const leases = leasesOn(watched(store, (name) => calls.push(name)));
    const wanted = NAMES.map((name) => leases.hold(name));
    await leases.begin();
    expect(wanted.map(({ held, fence }) => [held, fence])).to.deep.equal(NAMES.map(() => [true, 1]));
    expect(calls).to.deep.equal(['read', 'write']);
    await leases.close();
    expect(calls).to.deep.equal(['read', 'write', 'write']);
    const next = leasesOn(store);
    const again = NAMES.map((name) => next.hold(name));
    await next.begin();
    expect(again.map(({ held, fence }) => [held, fence])).to.deep.equal(NAMES.map(() => [true, 2]));
    await next.close();
  });

  it('give back each lease that they can where they cannot give all back together', async () => {
    const [store] = stores as [FactStore];
    let isEnding = false;
    const failing = watched(store, (name, lock) => {
      const isLocked = lock === 'leases' || lock === 'lease locked one';
      if (name === 'write' && isEnding && isLocked) throw new Error('a lease is locked');
    });
    const names = ['locked one', 'free one', 'other free one'];
    const leases = leasesOn(failing);
    for (const name of names) leases.hold(name);
    await leases.begin();
    isEnding = true;
    await leases.close();
    const next = leasesOn(store);
    const again = names.map((name) => next.hold(name));
    await next.begin();
    expect(again.map(({ held }) => held)).to.deep.equal([false, true, true]);
    await next.close();
  });

  it('take each lease once when they begin at the same time, together or one lease after another', async () => {
    const [store, other] = stores as [FactStore, FactStore];
    let isEnding = false;
    const aloneOnly = watched(other, (name, lock) => {
      if (name === 'write' && lock === 'leases' && !isEnding) throw new Error('a lease of another process is locked');
    });
    for (let round = 0; round < 10; round += 1) {
      isEnding = false;
      const processes = [store, other, aloneOnly].map(leasesOn);
      const wanted = NAMES.map((name) => processes.map((leases) => leases.hold(`contested ${name}`)));
      await Promise.all(processes.map((leases) => leases.begin()));
      for (const rivals of wanted) {
        await Promise.all(rivals.map((lease) => lease.attempt()));
        expect(rivals.filter(({ held }) => held)).to.have.lengthOf(1);
      }
      isEnding = true;
      for (const leases of processes) await leases.close();
    }
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
        const processes = stores.map(leasesOn);
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
