import { expect } from 'chai';
import { AnswerCache } from '../../../plugins/facts/answer-cache.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { WRITER } from '../graph/ref-drafts.ts';

const MIB = 2 ** 20;
const ALWAYS = { fromMs: 0, untilMs: Number.POSITIVE_INFINITY };

describe('the memory of the answer cache', () => {
  let cache: AnswerCache;
  beforeEach(() => {
    cache = new AnswerCache({ facts: { version: () => '1' }, clock: createManualClock(), maxBytes: MIB });
  });
  afterEach(() => cache.stop());

  /** Requests as the route does. Returns true if the answer was cached already. */
  const ask = (entity: string, text = 'x'): boolean => {
    const found = cache.find(WRITER, { entity });
    if (found === undefined) throw new Error('something can be cache');
    if ('status' in found) return true;
    if (found.isRepeated) found.cache({ status: 200, text }, ALWAYS);
    return false;
  };

  it('keeps repeated questions while a crawler requests each question once', () => {
    for (let n = 0; n < 20_000; n += 1) ask(`user:${n}`);
    expect([1, 2, 3].map(() => ask('user:alice'))).to.deep.equal([false, false, true]);
  });

  it('rejects new entries when full, and evicts none', () => {
    const asked = Array.from({ length: 40 }, (_, n) => `user:${n}`);
    const again = asked.map((entity) => [1, 2, 3].map(() => ask(entity, 'x'.repeat(50_000))).at(-1));
    expect(again.indexOf(false)).to.be.within(10, 30);
    expect(again.lastIndexOf(true)).to.equal(again.indexOf(false) - 1);
    expect(asked.map((entity) => ask(entity))).to.deep.equal(again);
  });
});
