import { expect } from 'chai';
import { markRestored } from '../../config/mark-restored.ts';
import { markStoreRestored } from '../../config/mark-store-restored.ts';
import { FactStore } from '../../ports/ports.ts';
import { sampleFact, stamp, storeFacts } from '../kit/fact-samples.ts';
import { forEachStore } from '../kit/for-each-store.ts';
import { rejection } from '../kit/rejection.ts';
import { startTestNode, type TestNode } from '../kit/start-test-node.ts';

const BOUND_MS = 300_000;
const DAY_MS = 86_400_000;

forEachStore('a restored store', () => {
  let node: TestNode;
  let store: FactStore;
  let nowMs: number;
  beforeEach(async () => {
    node = await startTestNode({ plugins: [] });
    store = node.kernel.get(FactStore);
    nowMs = node.clock.nowMs();
  });
  afterEach(() => node.stop());

  const setClock = (wallMs: number): Promise<void> =>
    store.write('default', (transaction) => transaction.saveClock({ wallMs, counter: 3 }));
  const clockMs = async (): Promise<number> => (await store.write('default', (tx) => tx.lockClock())).wallMs;
  const epoch = (): Promise<string> => store.read((snapshot) => snapshot.epoch());
  const restore = (id: string) => markRestored(store, { nowMs, driftBoundMs: BOUND_MS, epoch: id });

  it('begins a new epoch and never reuses a stamp that may have been used before', async () => {
    await setClock(nowMs - DAY_MS);
    const before = await epoch();
    const mark = await restore('one');
    expect(mark).to.deep.equal({ fromMs: nowMs - DAY_MS, toMs: nowMs + BOUND_MS });
    expect(await clockMs()).to.equal(mark.toMs);
    expect(await epoch()).not.to.equal(before);
  });

  it('may be marked twice: its clock advances by at most the bound', async () => {
    await setClock(nowMs);
    const epochs = new Set<string>();
    for (const id of ['one', 'two', 'three']) {
      const { toMs } = await restore(id);
      expect(toMs).to.be.within(nowMs + BOUND_MS, nowMs + BOUND_MS + 2);
      epochs.add(await epoch());
    }
    expect(epochs.size).to.equal(3);
  });

  it('is not marked while a node uses it', async () => {
    const before = await epoch();
    const error = await rejection(markStoreRestored(node.node.config, () => Promise.reject(new Error('opened'))));
    expect(error).to.include({ code: 'conflict', hint: 'stop every process on the store first' });
    expect(await epoch()).to.equal(before);
  });

  it('reuses no stamp when the same backup is restored again', async () => {
    const again = await startTestNode({ plugins: [] });
    try {
      await setClock(nowMs - 1);
      const first = await restore('one');
      const backup = again.kernel.get(FactStore);
      await backup.write('default', (transaction) => transaction.saveClock({ wallMs: nowMs - 1, counter: 3 }));
      const second = await markRestored(backup, { nowMs: nowMs + 1, driftBoundMs: BOUND_MS, epoch: 'two' });
      expect(second.toMs).to.be.above(first.toMs);
    } finally {
      await again.stop();
    }
  });

  it('moves its clock above its feed and above a faster clock, and never back', async () => {
    const feed = { wallMs: nowMs + DAY_MS, counter: 7 };
    await storeFacts(store, [sampleFact(1, { feed, hlc: stamp(1) })]);
    await restore('one');
    expect(await clockMs()).to.equal(feed.wallMs + 1);
  });
});
