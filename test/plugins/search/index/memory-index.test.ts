import { expect } from 'chai';
import fc from 'fast-check';
import { endsFact } from '../../../../kernel/internal-api.ts';
import { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import { NEIGHBOUR_WEIGHTS } from '../../../../plugins/search/index/session-neighbours.ts';
import { TOGETHER_WEIGHTS } from '../../../../plugins/search/index/words-together.ts';
import type { SearchView } from '../../../../plugins/search/search-api.ts';
import type { StoredFact } from '../../../../ports/ports.ts';
import { findBeside, findNewest, findShares, findWords } from '../../../contract/search-index/ask-index.ts';
import { newestFirst } from '../../../contract/search-index/reference-index.ts';
import { idsOf, sampleCover, sampleFact, sampleId, stamp } from '../../../kit/fact-samples.ts';
import { RUNS } from '../../../kit/property-runs.ts';
import { SAMPLE_VIEW } from '../sample-view.ts';
import { applyStep, queries, retold, stories, views } from './index-stories.ts';
import { NaiveIndex } from './naive-index.ts';
import { TEST_SEED } from './test-seed.ts';

const said = (n: number, text: string, members: Partial<StoredFact> = {}): StoredFact =>
  sampleFact(n, { value: { type: 'text', v: text, interpretAs: 'content' }, ...members });

const indexOf = (...facts: StoredFact[]): MemoryIndex => {
  const index = MemoryIndex.create(TEST_SEED);
  for (const fact of facts) index.add(fact);
  return index;
};

/** Facts, and covers that name them, of few ids and origins. */
const namedStories = fc.array(
  fc.record({
    target: fc.integer({ min: 0, max: 4 }),
    origin: fc.constantFrom('here', 'svc:node:a', 'svc:node:b'),
    speaker: fc.constantFrom(null, 'svc:node:a'),
    isCover: fc.boolean(),
  }),
  { maxLength: 12 },
);

describe('the search index in memory', () => {
  it('finds the same as scoring every live fact, after every step of a random history, with equal scores and order', () =>
    fc.assert(
      fc.asyncProperty(stories, queries, views, fc.integer({ min: 1, max: 6 }), async (story, query, view, limit) => {
        const index = MemoryIndex.create(TEST_SEED);
        for (const [n, step] of story.entries()) {
          applyStep(step, n, index);
          const naive = retold(story.slice(0, n + 1));
          expect(await findWords(index, query, view, limit)).to.deep.equal(await naive.lexical(query, view, limit));
        }
      }),
      { numRuns: RUNS },
    ));

  it('lists the live facts of any view, newest first', () =>
    fc.assert(
      fc.asyncProperty(stories, views, fc.integer({ min: 0, max: 8 }), async (story, view, limit) => {
        const index = MemoryIndex.create(TEST_SEED);
        story.forEach((step, n) => void applyStep(step, n, index));
        const live = await retold(story).live(view);
        expect(idsOf(await findNewest(index, view, limit))).to.deep.equal(
          idsOf(live.sort(newestFirst).slice(0, limit)),
        );
      }),
      { numRuns: RUNS },
    ));

  it('finds the neighbours of given facts, as a walk through their sessions does', () =>
    fc.assert(
      fc.asyncProperty(
        stories,
        views,
        fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 5 }),
        async (story, view, numbers) => {
          const index = MemoryIndex.create(TEST_SEED);
          story.forEach((step, n) => void applyStep(step, n, index));
          const seeds = numbers.map((n) => ({ id: sampleId(n), score: 1 + n / 64 }));
          const naive = retold(story);
          naive.facts.splice(0, naive.facts.length, ...naive.facts.filter((f) => !f.system && f.confidence > 0));
          const expected = await naive.besides(seeds, view, 7, NEIGHBOUR_WEIGHTS);
          expect(await findBeside(index, seeds, view, 7)).to.deep.equal(expected);
        },
      ),
      { numRuns: RUNS },
    ));

  it('computes how much of a query facts cover with their sessions, as a check of each word does', () =>
    fc.assert(
      fc.asyncProperty(
        stories,
        queries,
        views,
        fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 8 }),
        async (story, query, view, numbers) => {
          const index = MemoryIndex.create(TEST_SEED);
          story.forEach((step, n) => void applyStep(step, n, index));
          const naive = retold(story);
          naive.facts.splice(0, naive.facts.length, ...naive.facts.filter((f) => !f.system && f.confidence > 0));
          const ids = numbers.map((n) => sampleId(n));
          const expected = await naive.together(query, ids, view, TOGETHER_WEIGHTS);
          expect(await findShares(index, query, ids, view)).to.deep.equal(expected);
        },
      ),
      { numRuns: RUNS },
    ));

  it('returns exactly the same with and without facts outside the view', () =>
    fc.assert(
      fc.asyncProperty(stories, queries, async (story, query) => {
        const view: SearchView = { ...SAMPLE_VIEW, scopes: ['company', 'team'], gardens: ['garden-a'], nowMs: 10 };
        const whole = MemoryIndex.create(TEST_SEED);
        const seen = MemoryIndex.create(TEST_SEED);
        story.forEach((step, n) => {
          applyStep(step, n, whole);
          const garden = step.kind === 'fact' ? step.fact.gardenId : step.kind === 'cover' ? step.gardenId : null;
          const tenant = step.kind === 'fact' ? step.fact.tenantId : 'default';
          if (garden !== 'garden-b' && tenant === 'default') applyStep(step, n, seen);
        });
        const hits = await findWords(seen, query, view, 5);
        expect(await findWords(whole, query, view, 5)).to.deep.equal(hits);
        expect(await findBeside(whole, hits, view, 5)).to.deep.equal(await findBeside(seen, hits, view, 5));
        expect(await findNewest(whole, view, 5)).to.deep.equal(await findNewest(seen, view, 5));
        const ids = story.map((_, n) => sampleId(n));
        expect(await findShares(whole, query, ids, view)).to.deep.equal(await findShares(seen, query, ids, view));
      }),
      { numRuns: RUNS },
    ));

  it('finds the best of thousands of facts, although it skips most of them', async () => {
    const index = MemoryIndex.create(TEST_SEED);
    const facts = Array.from({ length: 10_000 }, (_, n) =>
      said(n, `common ${n % 3 === 0 ? 'often' : ''} ${n % 997 === 0 ? 'rare' : ''} ${'filler '.repeat(n % 11)}`),
    );
    for (const fact of facts) index.add(fact);
    const all = await findWords(index, 'common often rare', SAMPLE_VIEW, facts.length);
    expect(all).to.have.length(facts.length);
    for (const limit of [1, 10, 120]) {
      expect(await findWords(index, 'common often rare', SAMPLE_VIEW, limit)).to.deep.equal(all.slice(0, limit));
    }
  });

  it('finds a fact with the very next search', async () => {
    const index = MemoryIndex.create(TEST_SEED);
    for (let n = 0; n < 300; n += 1) {
      index.add(said(n, `n${n}n about turbines`));
      expect(idsOf(await findWords(index, `n${n}n`, SAMPLE_VIEW, 10))).to.deep.equal([sampleId(n)]);
    }
    expect(await findWords(index, 'turbines', SAMPLE_VIEW, 1_000)).to.have.length(300);
  });

  it('finds facts by identifiers that are not UUIDs', async () => {
    const index = indexOf(said(1, 'river', { id: 'Fact-One' }), said(2, 'river', { id: sampleId(2).toUpperCase() }));
    const hits = await findWords(index, 'river', SAMPLE_VIEW, 5);
    expect(idsOf(hits)).to.have.members(['Fact-One', sampleId(2).toUpperCase()]);
  });

  it('adds a fact only once', async () => {
    const index = indexOf(said(1, 'river'), said(1, 'river'));
    expect(index.size).to.equal(1);
  });

  it('refuses a fact out of the order of the feed', () => {
    const index = indexOf(said(2, 'river'));
    expect(() => index.add(said(1, 'river'))).to.throw(RangeError, 'order of the feed');
  });

  it('ends exactly the facts that replacements name, in any order of arrival', () =>
    fc.assert(
      fc.asyncProperty(namedStories, async (steps) => {
        const index = MemoryIndex.create(TEST_SEED);
        const naive = new NaiveIndex();
        for (const [n, { target, origin, speaker, isCover }] of steps.entries()) {
          const originNodeId = origin === 'here' ? null : origin;
          if (!isCover) {
            const originId = target === n ? null : sampleId(target);
            // A fact of the node itself has no speaker.
            const speaks = { originNodeId, originId, speaker: originNodeId === null ? null : speaker };
            naive.facts.push(said(n, 'river', { ...speaks, hlc: stamp((7 * n) % 5), feed: stamp(n) }));
            index.add(naive.facts.at(-1) as StoredFact);
            continue;
          }
          const named = { id: sampleId(target), origin, isOwn: origin === 'here' };
          const cover = { ...sampleCover(sampleId(n), stamp(n % 6), { named, speaker }), since: stamp(n) };
          naive.covers.push(cover);
          index.cover({ ...cover, targets: idsOf(naive.facts.filter((fact) => endsFact(cover, fact))) });
        }
        const found = await findNewest(index, SAMPLE_VIEW, 50);
        expect(idsOf(found)).to.have.members(idsOf(await naive.live(SAMPLE_VIEW)));
      }),
      { numRuns: RUNS },
    ));

  it('does not let a retraction change the scores of other facts', async () => {
    const index = indexOf(said(1, 'river stone'), said(2, 'river', { relationKey: 'memory:note' }));
    const [before] = (await findWords(index, 'river', SAMPLE_VIEW, 5)).filter(({ id }) => id === sampleId(2));
    index.cover({ ...sampleCover(sampleId(9), stamp(5)), since: stamp(9_999) });
    expect(await findWords(index, 'river', SAMPLE_VIEW, 5)).to.deep.equal([before]);
  });

  it('works with a clock that is set back', async () => {
    const index = indexOf(said(1, 'river', { validUntilMs: 100 }));
    const found = async (nowMs: number) => (await findWords(index, 'river', { ...SAMPLE_VIEW, nowMs }, 5)).length;
    expect([await found(99), await found(100), await found(99)]).to.deep.equal([1, 0, 1]);
  });
});
