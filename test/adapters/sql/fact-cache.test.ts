import { expect } from 'chai';
import { FactCache } from '../../../adapters/sql/fact-cache.ts';
import { sampleFact, sampleId } from '../../kit/fact-samples.ts';

const MIB = 2 ** 20;

describe('the cache of facts', () => {
  const countKept = (cache: FactCache, upTo: number): number => {
    let kept = 0;
    for (let n = 1; n <= upTo; n += 1) if (cache.get('default', sampleId(n)) !== undefined) kept += 1;
    return kept;
  };

  it('holds the newest entries, within its limit of bytes', () => {
    const cache = new FactCache(MIB);
    const facts = 5_000;
    for (let n = 1; n <= facts; n += 1) cache.forRead().put(sampleFact(n));
    expect(cache.get('default', sampleId(facts))).to.not.equal(undefined);
    expect(cache.get('default', sampleId(1))).to.equal(undefined);
    expect(countKept(cache, facts)).to.be.within(100, MIB / 1_000);
  });

  it('retains entries that are requested again while others are added', () => {
    const cache = new FactCache(MIB);
    const [asked, unasked] = [sampleFact(1), sampleFact(2)];
    cache.forRead().put(asked);
    cache.forRead().put(unasked);
    for (let n = 3; n <= 5_000; n += 1) {
      cache.forRead().put(sampleFact(n));
      expect(cache.get('default', asked.id)).to.equal(asked);
    }
    expect(cache.get('default', unasked.id)).to.equal(undefined);
  });

  it('weighs long values more', () => {
    const long = { type: 'text', v: 'x'.repeat(4_000), interpretAs: 'content' } as const;
    const [short, full] = [new FactCache(MIB), new FactCache(MIB)];
    for (let n = 1; n <= 2_000; n += 1) {
      short.forRead().put(sampleFact(n));
      full.forRead().put(sampleFact(n, { value: long }));
    }
    expect(countKept(full, 2_000)).to.be.below(countKept(short, 2_000) / 2);
  });

  it('drops named entries of one tenant only', () => {
    const cache = new FactCache(MIB);
    for (const tenantId of ['default', 'other', 'third']) cache.forRead().put(sampleFact(1, { tenantId }));
    cache.forRead().put(sampleFact(2));
    cache.drop('default', [sampleId(1)]);
    cache.dropTenant('third');
    const kept = ['default', 'other', 'third'].map((tenantId) => cache.get(tenantId, sampleId(1)) !== undefined);
    expect(kept).to.deep.equal([false, true, false]);
    expect(cache.get('default', sampleId(2))).to.not.equal(undefined);
  });

  const READS = 1_000;
  const LOOKUPS = 10;
  /** Performs reads of ten facts each, as far as the cache advises them, and returns their number. */
  const read = (cache: FactCache, tenantId: string, found: number): number => {
    let reads = 0;
    for (let n = 0; n < READS; n += 1) {
      const view = cache.forRead();
      if (!view.isWorthwhile(tenantId)) continue;
      reads += 1;
      view.count(tenantId, found, LOOKUPS - found);
    }
    return reads;
  };

  it('serves every read while most facts are found', () => {
    expect(read(new FactCache(MIB), 'default', 6)).to.equal(READS);
  });

  it('serves a sample of the reads of a tenant while most facts are missing', () => {
    const cache = new FactCache(MIB);
    expect(read(cache, 'default', 1)).to.be.within(READS / 10, READS / 3);
    expect(read(cache, 'other', 9)).to.equal(READS);
  });

  it('serves every read again once most look-ups of the sample hit', () => {
    const cache = new FactCache(MIB);
    read(cache, 'default', 1);
    read(cache, 'default', 10);
    expect(read(cache, 'default', 10)).to.equal(READS);
  });

  it('ignores the result of a read that began before a drop', () => {
    const cache = new FactCache(MIB);
    const [earlier, sameTime] = [cache.forRead(), cache.forRead()];
    earlier.put(sampleFact(1));
    cache.drop('default', [sampleId(1)]);
    earlier.put(sampleFact(1));
    sameTime.put(sampleFact(2));
    expect(countKept(cache, 2)).to.equal(0);
    cache.forRead().put(sampleFact(2));
    expect(countKept(cache, 2)).to.equal(1);
    const before = cache.forRead();
    cache.dropTenant('other');
    before.put(sampleFact(3, { tenantId: 'other' }));
    expect(cache.get('other', sampleId(3))).to.equal(undefined);
  });
});
