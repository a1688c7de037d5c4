import { expect } from 'chai';
import { type FactStore, REDACTED_REFERENCE, type StoredFact } from '../../../ports/ports.ts';
import { factById, sampleFact, sampleId } from '../../kit/fact-samples.ts';
import { rejection } from '../../kit/rejection.ts';
import type { CurrentStore } from '../fact-store-contract.ts';

const storeWith = (store: FactStore, facts: readonly StoredFact[]) =>
  store.write('default', (transaction) => transaction.insert(facts));

/** Tests how an erasure changes the remaining facts, and which traces it leaves in files. */
export const describeErasure = (current: CurrentStore): void => {
  const entries = () =>
    current().store.read((snapshot) => snapshot.ledger({ tenantId: 'default', order: 'oldest', limit: 100 }));

  describe('redact', () => {
    const cid = (digit: number): string => `sha256:${String(digit).repeat(64)}`;
    const redact = (id: string, derivedFrom: readonly string[]) =>
      current().store.write('default', (transaction) => transaction.redact([{ id, derivedFrom }]));
    const references = (above = 0, limit = 10) =>
      current().store.read((snapshot) => snapshot.references('default', above, limit));

    it('replaces chosen references by the redaction mark, and keeps all other members of the fact', async () => {
      const { store } = current();
      const fact = sampleFact(2, { derivedFrom: [cid(1), cid(2), cid(1)] });
      await storeWith(store, [sampleFact(1), fact, sampleFact(3, { derivedFrom: [cid(1)] })]);
      const [, , other] = await entries();
      expect(await references()).to.deep.equal([
        { number: 2, id: fact.id, derivedFrom: fact.derivedFrom },
        { number: other?.number, id: sampleId(3), derivedFrom: [cid(1)] },
      ]);
      const derivedFrom = [REDACTED_REFERENCE, cid(2), REDACTED_REFERENCE];
      await redact(fact.id, derivedFrom);
      const left = await store.read((snapshot) => factById(snapshot, fact.id));
      expect(left).to.deep.equal({ ...fact, derivedFrom });
      expect(await references(0, 1)).to.deep.equal([{ number: 2, id: fact.id, derivedFrom }]);
      expect(await references(2)).to.have.length(1);
      expect(await store.read((snapshot) => snapshot.references('other', 0, 10))).to.deep.equal([]);
    });

    it('refuses every other change of the references', async () => {
      const { store } = current();
      const fact = sampleFact(1, { derivedFrom: [cid(1), cid(2)] });
      await storeWith(store, [fact, sampleFact(2)]);
      const lists = [
        [cid(1)],
        [],
        [cid(2), cid(1)],
        [cid(1), cid(3)],
        [REDACTED_REFERENCE],
        [cid(1), cid(2), REDACTED_REFERENCE],
      ];
      for (const list of lists) expect(await rejection(redact(fact.id, list))).to.be.instanceOf(Error);
      expect(await rejection(redact(sampleId(2), [REDACTED_REFERENCE]))).to.be.instanceOf(Error);
      await redact(fact.id, [REDACTED_REFERENCE, cid(2)]);
      expect(await rejection(redact(fact.id, fact.derivedFrom))).to.be.instanceOf(Error);
    });
  });

  describe('scrub', () => {
    it('lists the copies that it cannot reach, and the store stays usable', async () => {
      const { store } = current();
      await storeWith(store, [sampleFact(1), sampleFact(2)]);
      const before = await entries();
      const [limits] = await Promise.all([store.scrub(), storeWith(store, [sampleFact(3)])]);
      expect(limits).to.not.deep.equal([]);
      const [first, second, third] = await entries();
      expect([first, second]).to.deep.equal(before);
      expect(third?.factId).to.equal(sampleId(3));
    });
  });
};
