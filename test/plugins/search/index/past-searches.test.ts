import { expect } from 'chai';
import fc from 'fast-check';
import type { Expiry } from '../../../../kernel/internal-api.ts';
import { compareHlc } from '../../../../kernel/thread-api.ts';
import { createCodeSpace } from '../../../../plugins/search/codes/code-space.ts';
import { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import type { SearchView } from '../../../../plugins/search/search-api.ts';
import { bytesIn } from '../../../../plugins/search/snapshot/byte-source.ts';
import type { StoredFact } from '../../../../ports/ports.ts';
import { findBeside, findNear, findNewest, findShares, findWords } from '../../../contract/search-index/ask-index.ts';
import { idsOf, sampleCover, sampleFact, sampleId, stamp } from '../../../kit/fact-samples.ts';
import { RUNS } from '../../../kit/property-runs.ts';
import { snapshotBytes } from '../snapshot/snapshot-bytes.ts';
import { applyStep, expiryOf, factOf, queries, type Step, stories, views } from './index-stories.ts';
import { TEST_SEED } from './test-seed.ts';

const DIMENSIONS = 16;
const codes = createCodeSpace({ dimensions: DIMENSIONS });

const vectorOf = (n: number): Float32Array => {
  const angle = (n * 2.399963) % (2 * Math.PI);
  const vector = new Float32Array(DIMENSIONS);
  vector[0] = Math.cos(angle);
  vector[1 + (n % (DIMENSIONS - 1))] = Math.sin(angle);
  return vector;
};

interface Told {
  readonly index: MemoryIndex;
  readonly facts: readonly StoredFact[];
}

/** Builds an index with the vectors of its facts from a story, with or without searches between the steps. */
const told = (story: readonly Step[], hidden: (n: number) => boolean, isSearched = false): Told => {
  const index = MemoryIndex.create(TEST_SEED);
  const lives = new Map<string, Expiry>();
  const facts = story.flatMap((step, n) => (step.kind === 'fact' ? [factOf(step, n)] : []));
  story.forEach((step, n) => {
    applyLikeFeed(step, n, index, lives);
    if (!isSearched) return;
    for (const entityKey of ['user:alice', 'user:bob']) void findNewest(index, { ...EVERYTHING, entityKey }, 100);
  });
  facts.forEach((fact, at) => {
    if (hidden(at)) index.withhold(fact, true);
  });
  serveVectors(index, facts);
  return { index, facts };
};

const serveVectors = (index: MemoryIndex, facts: readonly StoredFact[]): void => {
  const layer = index.createVectors(codes);
  facts.forEach((fact, at) => {
    const { code, scale } = codes.quantise(vectorOf(at));
    layer.set(fact, code, scale);
  });
  index.serveVectors({ embedder: 'scripted', layer: layer });
};

const EVERYTHING: SearchView = {
  tenantId: 'default',
  scopes: ['company', 'team'],
  gardens: 'all',
  nowMs: 0,
  minConfidence: 0,
};

/** Applies a step as the feed does: a replaced time-to-live follows the one that replaced it. */
const applyLikeFeed = (step: Step, n: number, index: MemoryIndex, lives: Map<string, Expiry>): void => {
  applyStep(step, n, index);
  if (step.kind !== 'expiry') return;
  const expiry = { ...expiryOf(step), since: stamp(n) };
  const key = `${expiry.tenantId} ${expiry.factId}`;
  const known = lives.get(key);
  const order = known === undefined ? 1 : compareHlc(expiry.hlc, known.hlc) || known.expiresMs - expiry.expiresMs;
  if (order <= 0) return;
  lives.set(key, expiry);
  if (known !== undefined) index.keepFormer(known);
};

const contests = fc.constantFrom<SearchView['contested']>(
  undefined,
  undefined,
  [{ scope: 'company', gardenId: null, entityKey: 'user:alice', relationKey: 'memory:role' }],
  [{ scope: 'team', gardenId: 'garden-a', entityKey: 'user:bob', relationKey: 'memory:note' }],
);

const searches = async (index: MemoryIndex, query: string, view: SearchView, limit: number) => {
  const lexical = await findWords(index, query, view, limit);
  return {
    lexical,
    dense: await findNear(index, vectorOf(1), -1, view, limit),
    besides: await findBeside(index, [...lexical, { id: sampleId(3), score: 0.5 }], view, limit),
    together: await findShares(index, query, [...idsOf(lexical), sampleId(3)], view),
    newest: await findNewest(index, view, limit),
  };
};

describe('a search as of a past moment', () => {
  it('finds the same as an index built up to that moment, with equal scores and order', () =>
    fc.assert(
      fc.asyncProperty(
        stories,
        fc.nat(30),
        fc.func(fc.boolean()),
        queries,
        fc.tuple(views, contests).map(([view, contested]) => ({ ...view, contested })),
        fc.constantFrom(2, 100),
        async (story, at, hidden, query, asked, limit) => {
          const cut = Math.min(at, story.length);
          const expected = await searches(told(story.slice(0, cut), hidden).index, query, asked, limit);
          const { index, facts } = told(story, hidden, true);
          const past = { ...asked, asOf: stamp(cut - 1) };
          expect(await searches(index, query, past, limit)).to.deep.equal(expected);
          const { index: restored } = await MemoryIndex.restore(bytesIn(snapshotBytes(index, stamp(1_000))));
          facts.forEach((fact, n) => {
            if (hidden(n)) restored.withhold(fact, true);
          });
          serveVectors(restored, facts);
          expect(await searches(restored, query, past, limit)).to.deep.equal(expected);
        },
      ),
      { numRuns: RUNS * 2 },
    ));

  it('uses the word statistics of that moment, also in a scope with many short and long facts', async () => {
    const text = (n: number): string => `${'word '.repeat((n * 37) % 200)}harbour ${n % 3 === 0 ? 'lantern' : ''}`;
    const facts = Array.from({ length: 300 }, (_, n) =>
      sampleFact(n, { entityKey: `user:${n}`, value: { type: 'text', v: text(n), interpretAs: 'content' } }),
    );
    const index = MemoryIndex.create(TEST_SEED);
    for (const fact of facts) index.add(fact);
    for (const fact of facts.slice(40, 60)) index.withhold(fact, true);
    const fresh = MemoryIndex.create(TEST_SEED);
    for (const [n, fact] of facts.entries()) {
      fresh.add(fact);
      if (n >= 40 && n < 60) fresh.withhold(fact, true);
      if (n % 13 > 0) continue;
      const expected = await findWords(fresh, 'harbour lantern', EVERYTHING, 50);
      expect(await findWords(index, 'harbour lantern', { ...EVERYTHING, asOf: stamp(n) }, 50)).to.deep.equal(expected);
    }
  });

  it('uses the time-to-live of that moment, not the one that replaced it later', async () => {
    const index = MemoryIndex.create(TEST_SEED);
    index.add(sampleFact(1));
    const life = { tenantId: 'default', factId: sampleId(1) };
    index.expire({ ...life, expiresMs: 10, hlc: stamp(2), since: stamp(2) });
    index.expire({ ...life, expiresMs: 20, hlc: stamp(4), since: stamp(4) });
    index.keepFormer({ ...life, expiresMs: 10, since: stamp(2) });
    const found = async (n: number, nowMs: number): Promise<string[]> =>
      idsOf(await findNewest(index, { ...EVERYTHING, nowMs, asOf: stamp(n) }, 10));
    expect(await found(1, 30)).to.deep.equal([sampleId(1)]);
    expect(await found(3, 9)).to.deep.equal([sampleId(1)]);
    expect(await found(3, 15)).to.deep.equal([]);
    expect(await found(4, 15)).to.deep.equal([sampleId(1)]);
    expect(await found(4, 20)).to.deep.equal([]);
  });

  it('finds facts that ended later, although searches of the present have skipped them', async () => {
    const index = MemoryIndex.create(TEST_SEED);
    for (let n = 0; n < 50; n += 1) index.add(sampleFact(n, { entityKey: 'user:hub' }));
    index.cover({ ...sampleCover(sampleId(90), stamp(90), { entityKey: 'user:hub' }), since: stamp(90) });
    const view = { ...EVERYTHING, entityKey: 'user:hub' };
    for (let again = 0; again < 3; again += 1) {
      expect(await findNewest(index, view, 100)).to.have.length(0);
      expect(await findNewest(index, { ...view, asOf: stamp(89) }, 100)).to.have.length(50);
      expect(await findWords(index, 'alice', { ...view, asOf: stamp(20) }, 100)).to.have.length(21);
    }
  });
});
