import { expect } from 'chai';
import { RETRY_MS } from '../../../kernel/leases/lease-keeper.ts';
import { LEASE_MS } from '../../../kernel/leases/lease-table.ts';
import { type ConfirmLease, type HeldLease, Leases, type Row, StoreCopies } from '../../../kernel/plugin-api.ts';
import { narrowTransaction } from '../../../kernel/store/narrow-transaction.ts';
import { FactStore } from '../../../ports/ports.ts';
import { createManualClock, type ManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { endLeases } from '../../kit/end-leases.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const NAME = 'sweeping';
const DAY_MS = 86_400_000;

interface Worker {
  readonly node: TestNode;
  readonly clock: ManualClock;
  readonly lease: HeldLease;
  /** The number of times that this worker acquired the lease. */
  acquired: number;
}

const startWorker = async (folder: string): Promise<Worker> => {
  const clock = createManualClock();
  // Both workers use the same seed, as if two processes drew equal random numbers.
  const random = createSeededRandom(1);
  const node = await startTestNode({ plugins: [], clock, random, folder });
  const onAcquired = (): void => {
    worker.acquired += 1;
  };
  const worker: Worker = {
    node,
    clock,
    acquired: 0,
    lease: node.kernel.get(Leases).hold(NAME, { onAcquired }),
  };
  await worker.lease.attempt();
  return worker;
};

forEachStore('a lease', () => {
  let owner: TestNode;
  let first: Worker;
  let second: Worker;
  let store: FactStore;
  beforeEach(async () => {
    owner = await startTestNode({ plugins: [] });
    first = await startWorker(owner.folder);
    second = await startWorker(owner.folder);
    store = second.node.kernel.get(FactStore);
  });
  afterEach(async () => {
    for (const node of [second.node, first.node, owner]) await node.stop();
  });

  const row = async (): Promise<Row | undefined> =>
    (await store.read((snapshot) => snapshot.select('leases', { name: NAME })))[0];
  const leaveMs = (ms: number): Promise<unknown> =>
    store.write('default', async (transaction) => {
      const untilMs = (await transaction.databaseMs()) + ms;
      await transaction.table('leases').where({ name: NAME }).update({ until_ms: untilMs });
    });
  /** Retries, because an attempt that was in progress may have checked too early. */
  const takeOver = ({ lease }: Worker): Promise<void> => comesTrue(() => lease.attempt());
  /** Makes a fresh attempt, because the first one may have been in progress and have read an earlier row. */
  const look = async ({ lease }: Worker): Promise<void> => {
    await lease.attempt();
    await lease.attempt();
  };
  const record = ({ node, lease }: Worker, fence = lease.fence): Promise<void> =>
    node.kernel.get(FactStore).write('default', async (transaction) => {
      await lease.confirm(narrowTransaction(transaction), fence);
      await transaction.insertRows('node_settings', [{ key: `by ${fence}`, value: '' }]);
    });
  const recorded = async (): Promise<unknown[]> => {
    const rows = await store.read((snapshot) => snapshot.table('node_settings').where('key', 'like', 'by %'));
    return rows.map(({ key }: { key: string }) => key);
  };

  it('is held by one process, which may record its results', async () => {
    expect([first.lease.held, first.lease.fence, first.acquired]).to.deep.equal([true, 1, 1]);
    expect([second.lease.held, second.lease.fence, second.acquired]).to.deep.equal([false, 0, 0]);
    await record(first);
    expect(await rejection(record(second))).to.include({ code: 'conflict' });
    expect(await recorded()).to.deep.equal(['by 1']);
  });

  it('passes to another process as soon as its holder shuts down', async () => {
    await first.node.stop();
    await comesTrue(() => second.lease.held);
    expect([second.lease.fence, second.acquired]).to.deep.equal([2, 1]);
    await record(second);
  });

  it('passes to another process when its holder stops renewing it, and discards earlier work', async () => {
    await second.lease.attempt();
    expect(second.lease.held, 'before it has ended').to.equal(false);
    await leaveMs(0);
    await takeOver(second);
    expect(first.lease.held, 'which a paused process cannot know').to.equal(true);
    expect(await rejection(record(first))).to.include({ code: 'conflict' });
    expect(first.lease.held).to.equal(false);
    await record(second);
    expect(await recorded()).to.deep.equal(['by 2']);
  });

  it('discards work that began before the lease was lost and acquired again', async () => {
    const begun = first.lease.fence;
    for (const worker of [second, first]) {
      await leaveMs(0);
      await takeOver(worker);
    }
    expect(first.lease).to.include({ held: true, fence: 3 });
    expect(await rejection(record(first, begun))).to.include({ code: 'conflict' });
    expect(first.lease.held).to.equal(true);
    await record(first);
    expect(await recorded()).to.deep.equal(['by 3']);
  });

  it('runs work while it is held, and discards the result if the holder has changed since', async () => {
    expect(await second.lease.whileHeld(async () => 'done')).to.equal(undefined);
    let began: ConfirmLease | undefined;
    const done = await first.lease.whileHeld(async (confirm) => {
      began = confirm;
      return 'done';
    });
    expect(done).to.equal('done');
    const write = (): Promise<void> =>
      store.write('default', (transaction) => (began as ConfirmLease)(narrowTransaction(transaction)));
    await write();
    await leaveMs(0);
    await takeOver(second);
    expect(await rejection(write())).to.include({ code: 'conflict' });
  });

  it('stays with its holder until a confirming transaction has ended', async () => {
    const order: string[] = [];
    let taking: Promise<unknown> = Promise.resolve();
    await first.node.kernel.get(FactStore).write('default', async (transaction) => {
      // Ends here, where no earlier attempt can come between.
      const untilMs = await transaction.databaseMs();
      await transaction.table('leases').where({ name: NAME }).update({ until_ms: untilMs });
      await first.lease.confirm(narrowTransaction(transaction), first.lease.fence);
      taking = takeOver(second).then(() => order.push('taken'));
      for (let turn = 0; turn < 20; turn += 1) await transaction.databaseMs();
      order.push('recorded');
    });
    await taking;
    expect(order).to.deep.equal(['recorded', 'taken']);
  });

  it('is renewed while its holder lives, and requested again by the others', async () => {
    await leaveMs(5_000);
    const soon = Number((await row())?.['until_ms']);
    await first.clock.advance(10_000);
    await comesTrue(async () => Number((await row())?.['until_ms']) > soon + 10_000);
    expect(first.lease).to.include({ held: true, fence: 1 });
    expect(first.acquired).to.equal(1);
    await leaveMs(0);
    await comesTrue(async () => {
      await second.clock.advance(3_000);
      return second.lease.held;
    });
  });

  it('counts as lost for a process that has not renewed it in time', async () => {
    first.clock.setNowMs(0);
    expect(first.lease.held).to.equal(true);
    await store.close();
    await first.node.kernel.get(FactStore).close();
    await first.clock.advance(30_000);
    expect(first.lease.held).to.equal(false);
    expect(await first.lease.attempt()).to.equal(false);
  });

  it('passes to another process when a clock that was set back has left it an end that no lease has', async () => {
    await leaveMs(DAY_MS);
    await look(second);
    await second.clock.advance(LEASE_MS - 1);
    expect(await second.lease.attempt(), 'while its holder may still renew it').to.equal(false);
    await second.clock.advance(1);
    await takeOver(second);
    expect(await rejection(record(first))).to.include({ code: 'conflict' });
    await record(second);
    expect(await recorded()).to.deep.equal(['by 2']);
  });

  it('stays with a holder that renews it after the clock was set back', async () => {
    await leaveMs(DAY_MS);
    await look(second);
    await first.lease.attempt();
    await second.clock.advance(LEASE_MS);
    expect(await second.lease.attempt()).to.equal(false);
    await record(first);
  });

  it('cannot be requested twice in one process', () => {
    expect(() => first.node.kernel.get(Leases).hold(NAME)).to.throw(/twice/);
  });
});

describe('a copy of a store', () => {
  const COPYING = { name: 'store.copy', holder: 'a process that was killed', fence: 1 };
  let node: TestNode;
  let store: FactStore;
  let begun: number;
  beforeEach(async () => {
    node = await startTestNode({ plugins: [] });
    store = node.kernel.get(FactStore);
    begun = 0;
  });
  afterEach(() => node.stop());

  const leaveFor = async (ms: number): Promise<void> => {
    const untilMs = (await store.read((snapshot) => snapshot.databaseMs())) + ms;
    await store.write('default', (transaction) =>
      transaction.insertRows('leases', [{ ...COPYING, until_ms: untilMs }]),
    );
  };
  const copy = (patience?: AbortSignal): Promise<void> =>
    node.kernel.get(StoreCopies).alone(
      async () => {
        begun += 1;
      },
      'backup',
      patience,
    );
  const passTo = (isSoFar: () => boolean): Promise<void> =>
    comesTrue(async () => {
      await node.clock.advance(RETRY_MS);
      return isSoFar();
    });

  it('begins after a clock that was set back, when nobody makes one', async () => {
    await leaveFor(DAY_MS);
    const copied = copy();
    await node.clock.advance(LEASE_MS - 1);
    expect(begun).to.equal(0);
    await passTo(() => begun === 1);
    await copied;
  });

  it('is refused at once while another process may make one, unless its caller is patient', async () => {
    await leaveFor(LEASE_MS);
    expect(await rejection(copy())).to.include({ code: 'unavailable' });
    const copied = copy(new AbortController().signal);
    await node.clock.advance(RETRY_MS);
    await endLeases(store);
    await passTo(() => begun === 1);
    await copied;
  });

  it('is refused to a patient caller after the time of one lease, while another process makes one', async () => {
    await leaveFor(LEASE_MS);
    let error: unknown;
    void copy(new AbortController().signal).catch((thrown: unknown) => {
      error = thrown;
    });
    await passTo(() => error !== undefined);
    expect(begun).to.equal(0);
    expect(error).to.include({ code: 'unavailable' });
  });

  it('ends the wait of a patient caller with its signal, and leaves no timer', async () => {
    await leaveFor(LEASE_MS);
    const before = node.clock.pending;
    const controller = new AbortController();
    const waiting = rejection(copy(controller.signal));
    await comesTrue(async () => node.clock.pending > before);
    controller.abort(new Error('enough'));
    expect((await waiting).message).to.equal('enough');
    expect([begun, node.clock.pending]).to.deep.equal([0, before]);
  });
});
