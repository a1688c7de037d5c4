import { expect } from 'chai';
import { all, type Snapshot } from '../../../ports/ports.ts';
import { createGate } from '../../kit/create-gate.ts';
import { factById, sampleFact, sampleId, stamp, storeFacts } from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

export const describeReads = (current: CurrentStore): void => {
  describe('read', () => {
    it('returns the result of its work', async () => {
      expect(await current().store.read(async () => 'result')).to.equal('result');
    });

    it('rejects when its work rejects, and the next read works', async () => {
      const { store } = current();
      const error = new Error('of the work');
      expect(await rejection(store.read(() => Promise.reject(error)))).to.equal(error);
      expect(await store.read((snapshot) => snapshot.count(all()))).to.equal(0);
    });

    it('sees one state in all its calls, despite commits in between', async () => {
      const { store } = current();
      await storeFacts(store, [sampleFact(1)]);
      await store.read(async (snapshot) => {
        const before = await snapshot.head();
        await storeFacts(store, [sampleFact(2)]);
        expect(await snapshot.count(all())).to.equal(1);
        expect(await factById(snapshot, sampleId(2))).to.equal(undefined);
        expect(await snapshot.head()).to.deep.equal(before);
        expect(await snapshot.select('facts', { id: sampleId(2) })).to.deep.equal([]);
        expect(await snapshot.table('facts').select('id')).to.have.length(1);
      });
      expect(await store.read((snapshot) => snapshot.count(all()))).to.equal(2);
    });

    it('returns all outlines, or as many as a limit allows', async () => {
      const { store } = current();
      await storeFacts(store, [sampleFact(1), sampleFact(2), sampleFact(3)]);
      const outlines = (limit?: number) => store.read((snapshot) => snapshot.outline(all(), limit));
      expect(await outlines()).to.have.length(3);
      expect(await outlines(4)).to.have.length(3);
      const two = await outlines(2);
      expect(new Set(two.map(({ id }) => id)).size).to.equal(2);
      expect([1, 2, 3].map(sampleId)).to.include.members(two.map(({ id }) => id));
    });

    it('returns outlines of the first facts in an order', async () => {
      const { store } = current();
      const timestampMs = (n: number) => ({ timestampMs: 1_700_000_000_000 - n });
      await storeFacts(
        store,
        [1, 2, 3].map((n) => sampleFact(n, timestampMs(n))),
      );
      await store.read(async (snapshot) => {
        for (const order of ['timestamp', 'hlc', 'feed'] as const) {
          const facts = await snapshot.find({ filter: all(), order, limit: 2 });
          const outlines = await snapshot.outline(all(), 2, order);
          expect(outlines.map(({ id }) => id)).to.have.members(facts.map(({ id }) => id));
          expect(await snapshot.outline(all(), undefined, order)).to.have.length(3);
        }
      });
    });

    it('returns the strongest outlines: by confidence, then by stamp, then by the lower id', async () => {
      const { store } = current();
      await storeFacts(store, [
        sampleFact(1, { confidence: 0.9, hlc: stamp(1) }),
        sampleFact(2, { confidence: 0.9, hlc: stamp(2) }),
        sampleFact(3, { confidence: 0.9, hlc: stamp(2) }),
        sampleFact(4, { confidence: 0.5, hlc: stamp(9) }),
        sampleFact(5, { confidence: 1, hlc: stamp(0) }),
      ]);
      const strongest = [5, 2, 3, 1, 4].map(sampleId);
      await store.read(async (snapshot) => {
        for (const [at] of strongest.entries()) {
          const outlines = await snapshot.outline(all(), at + 1, 'strength');
          expect(outlines.map(({ id }) => id)).to.have.members(strongest.slice(0, at + 1));
        }
      });
    });

    it('sees the state at its beginning, even if its first query comes late', async () => {
      const { store } = current();
      await store.read(async (snapshot) => {
        await storeFacts(store, [sampleFact(1)]);
        expect(await snapshot.count(all())).to.equal(0);
      });
    });

    it('waits for no writer and sees only committed data', async () => {
      const { store } = current();
      await store.write('default', async (transaction) => {
        await transaction.insert([sampleFact(1)]);
        expect(await store.read((snapshot) => snapshot.count(all()))).to.equal(0);
      });
    });

    it('allows a read inside a read', async () => {
      const { store } = current();
      const counts = await store.read(async (outer) => {
        await storeFacts(store, [sampleFact(1)]);
        return [await outer.count(all()), await store.read((inner) => inner.count(all()))];
      });
      expect(counts).to.deep.equal([0, 1]);
    });

    it('runs all requested reads concurrently', async () => {
      const { store } = current();
      await storeFacts(store, [sampleFact(1)]);
      const { passed: gate, open: release } = createGate();
      const reads = Array.from({ length: 100 }, (_, at) =>
        store.read(async (snapshot) => {
          if (at < 10) await gate;
          return snapshot.count(all());
        }),
      );
      await reads[50];
      release();
      expect(await Promise.all(reads)).to.deep.equal(Array.from({ length: 100 }, () => 1));
    });

    it('refuses a snapshot that has ended', async () => {
      const { store } = current();
      const kept = await store.read(async (snapshot): Promise<{ snapshot: Snapshot }> => ({ snapshot }));
      const { snapshot } = kept;
      const uses: (() => PromiseLike<unknown>)[] = [
        () => factById(snapshot, sampleId(1)),
        () => snapshot.find({ filter: all(), order: 'hlc', limit: 1 }),
        () => snapshot.outline(all()),
        () => snapshot.count(all()),
        () => snapshot.siblings([sampleFact(1)], 0, 1),
        () => snapshot.feedAfter({ wallMs: 0, counter: 0 }, 1),
        () => snapshot.head(),
        () => snapshot.ledger({ tenantId: 'default', order: 'oldest', limit: 1 }),
        () => snapshot.ledgerCount({ tenantId: 'default' }),
        () => snapshot.ledgerHead('default'),
        () => snapshot.ledgerNumberAt('default', stamp(0)),
        () => snapshot.select('fact_covers', { kind: 'retraction' }),
        () => snapshot.table('fact_covers').select('kind'),
      ];
      for (const use of uses) expect((await rejection(use())).message).to.match(/ended/);
    });

    it('refuses a builder that outlived its snapshot', async () => {
      const { store } = current();
      const kept = await store.read(async (snapshot) => ({ query: snapshot.table('fact_covers').select('kind') }));
      expect((await rejection(kept.query)).message).to.match(/ended/);
    });
  });
};
