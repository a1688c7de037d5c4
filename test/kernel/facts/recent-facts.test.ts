import { expect } from 'chai';
import { RecentFacts } from '../../../kernel/facts/recent-facts.ts';
import type { FeedEntry, SizedOutline, StoredFact } from '../../../ports/ports.ts';
import { sampleFact } from '../../kit/fact-samples.ts';

describe('the cache of recent facts', () => {
  const MEBIBYTE = 1024 * 1024;
  const factOf = (n: number, bytes: number) =>
    sampleFact(n, { value: { type: 'text', v: 'x'.repeat(bytes), interpretAs: 'content' } });
  const kept = (recent: RecentFacts, facts: readonly StoredFact[], erased: readonly StoredFact[] = []) => {
    const entries = facts.map(({ id, tenantId }) => ({ subjectId: id, tenantId }) as FeedEntry);
    const outlines = erased.map((fact): SizedOutline => ({ ...fact, valueBytes: 0, interpretAs: 'content' }));
    return recent.among({ outline: async () => outlines }, entries);
  };

  it('finds facts by their ids, and the first of several facts with one id', async () => {
    const recent = new RecentFacts();
    const fact = sampleFact(1);
    recent.add([fact, { ...fact }]);
    const found = await kept(recent, [fact, sampleFact(2)]);
    expect([...found.values()]).to.have.members([fact]);
    expect(found.get(fact.id)).to.equal(fact);
  });

  it('returns no fact of another tenant, and no fact that the store reports as erased', async () => {
    const recent = new RecentFacts();
    const [one, two] = [sampleFact(1), sampleFact(2)];
    recent.add([one, two]);
    expect([...(await kept(recent, [{ ...one, tenantId: 'other' }])).keys()]).to.deep.equal([]);
    expect([...(await kept(recent, [one, two], [one])).keys()]).to.deep.equal([two.id]);
  });

  it('evicts facts after eight mebibytes of later ones, and none before four', async () => {
    const recent = new RecentFacts();
    const facts = Array.from({ length: 12 }, (_, n) => factOf(n + 1, MEBIBYTE));
    recent.add(facts);
    const found = await kept(recent, facts);
    const isKept = facts.map(({ id }) => found.has(id));
    expect(isKept.slice(0, 4)).to.deep.equal([false, false, false, false]);
    expect(isKept.slice(-4)).to.deep.equal([true, true, true, true]);
  });

  it('retains nothing of erased facts, old or new', async () => {
    const recent = new RecentFacts();
    const facts = Array.from({ length: 6 }, (_, n) => factOf(n + 1, MEBIBYTE));
    recent.add(facts);
    recent.erase(facts);
    expect((await kept(recent, facts)).size).to.equal(0);
  });
});
