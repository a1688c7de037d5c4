import { expect } from 'chai';
import type { FactStore } from '../../../ports/ports.ts';
import { comesTrue } from '../../kit/comes-true.ts';
import { rejection } from '../../kit/rejection.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

/** Counts the calls of a listener. */
const counting = (store: FactStore, topic: string): { calls: number; readonly stop: () => void } => {
  const count = { calls: 0, stop: store.onSignal(topic, () => (count.calls += 1)) };
  return count;
};

/** Counts the calls for a topic. Subtracts those for all topics, which may come at any time without a signal. */
const callsFor = (store: FactStore, topic: string): (() => number) => {
  const [own, other] = [counting(store, topic), counting(store, 'never raised')];
  return () => own.calls - other.calls;
};

const raise = (store: FactStore, ...topics: string[]): Promise<void> =>
  store.write('default', async (transaction) => {
    for (const topic of topics) transaction.signal(topic);
  });

export const describeSignals = (current: CurrentStore): void => {
  describe('a signal', () => {
    it('arrives in the writing process before the write resolves, once however often it was raised', async () => {
      const { store } = current();
      const calls = callsFor(store, 'a');
      await store.write('default', async (transaction) => {
        for (let time = 0; time < 5; time += 1) transaction.signal('a');
        expect(calls()).to.equal(0);
      });
      // The server may have told the store of its own signal by now, which is the second call.
      expect(calls()).to.be.within(1, 2);
    });

    it('does not arrive in the writing process when the transaction rolls back', async () => {
      const { store } = current();
      const calls = callsFor(store, 'a');
      const failed = store.write('default', async (transaction) => {
        transaction.signal('a');
        throw new Error('no');
      });
      await rejection(failed);
      expect(calls()).to.equal(0);
    });

    it('arrives in every other store on the data, after the change is visible', async () => {
      const { store, another } = current();
      const others = [await another(), await another()];
      const seen = others.map((other) => {
        const rows: unknown[] = [];
        other.onSignal('a', () => {
          void other.read((snapshot) => snapshot.select('node_settings', {})).then((found) => rows.push(...found));
        });
        return rows;
      });
      await store.write('default', async (transaction) => {
        transaction.signal('a');
        await transaction.insertRows('node_settings', [{ key: 'k', value: 'v' }]);
      });
      await comesTrue(() => seen.every((rows) => rows.length > 0));
      expect(seen[0]?.[0]).to.deep.equal({ key: 'k', value: 'v' });
    });

    it('arrives each time at each listener of its topic, until that listener stops', async () => {
      const { store, another } = current();
      const other = await another();
      const [first, second] = [counting(other, 'a'), counting(other, 'a')];
      for (let time = 0; time < 3; time += 1) {
        const before = [first.calls, second.calls];
        await raise(store, 'a', 'b');
        await comesTrue(() => first.calls > (before[0] as number) && second.calls > (before[1] as number));
      }
      first.stop();
      first.stop();
      const [stopped, going] = [first.calls, second.calls];
      await raise(other, 'a');
      expect(first.calls).to.equal(stopped);
      expect(second.calls).to.be.above(going);
    });

    it('does nothing without listeners, and is refused without a valid topic', async () => {
      const { store } = current();
      await raise(store, 'a', "it's \\ {a}, 'b'", 'x'.repeat(200));
      for (const topic of ['', 'x'.repeat(201)])
        expect(await rejection(raise(store, topic))).to.be.instanceOf(RangeError);
    });

    it('accepts any text as its topic', async () => {
      const { store, another } = current();
      const topic = 'it\'s \\ {a}, "b" ü 😀';
      const heard = counting(await another(), topic);
      await raise(store, topic);
      await comesTrue(() => heard.calls > 0);
    });

    it('cannot be raised once the transaction has ended', async () => {
      const { store } = current();
      let late = (): void => {};
      await store.write('default', async (transaction) => {
        late = () => transaction.signal('a');
      });
      expect(late).to.throw(/ended/);
    });

    it('does not affect the write or other listeners when a listener throws', async () => {
      const { store } = current();
      const warnings: unknown[] = [];
      const { emitWarning } = process;
      process.emitWarning = (warning: unknown) => void warnings.push(warning);
      try {
        store.onSignal('a', () => {
          throw new Error('listener');
        });
        const calls = callsFor(store, 'a');
        await raise(store, 'a');
        expect(calls()).to.be.within(1, 2);
        expect(String(warnings[0])).to.include('listener');
      } finally {
        process.emitWarning = emitWarning;
      }
    });

    it('never prevents a store from closing, and does not arrive afterwards', async () => {
      const { store, another } = current();
      const other = await another();
      const heard = counting(other, 'a');
      await other.close();
      const { calls } = heard;
      await raise(store, 'a');
      expect(heard.calls).to.equal(calls);
      counting(other, 'a').stop();
    });
  });
};
