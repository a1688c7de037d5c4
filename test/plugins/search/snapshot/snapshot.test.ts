import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import type { SearchView } from '../../../../plugins/search/search-api.ts';
import { FrameWriter, UnusableSnapshot } from '../../../../plugins/search/snapshot/snapshot-frames.ts';
import { idsOf, sampleFact, sampleId, stamp } from '../../../kit/fact-samples.ts';
import { RUNS } from '../../../kit/property-runs.ts';
import { rejection } from '../../../kit/rejection.ts';
import { applyStep, queries, type Step, stories, views } from '../index/index-stories.ts';
import { TEST_SEED } from '../index/test-seed.ts';

const told = (story: readonly Step[]): MemoryIndex => {
  const index = MemoryIndex.create(TEST_SEED);
  story.forEach((step, n) => void applyStep(step, n, index));
  return index;
};

const bytesOf = (index: MemoryIndex): Buffer => Buffer.concat([...index.snapshot(stamp(1_000))]);

const expectSame = async (one: MemoryIndex, other: MemoryIndex, query: string, view: SearchView): Promise<void> => {
  const hits = await one.lexical(query, view, 5);
  expect(await other.lexical(query, view, 5)).to.deep.equal(hits);
  expect(await other.besides(hits, view, 5)).to.deep.equal(await one.besides(hits, view, 5));
  expect(await other.together(query, idsOf(hits), view)).to.deep.equal(await one.together(query, idsOf(hits), view));
  expect(await other.newest(view, 50)).to.deep.equal(await one.newest(view, 50));
};

describe('a snapshot of the search index', () => {
  it('holds the index of any story, which goes on as if nothing had happened', () =>
    fc.assert(
      fc.asyncProperty(stories, stories, queries, views, async (before, after, query, view) => {
        const index = told(before);
        const { index: restored, applied } = await MemoryIndex.restore([bytesOf(index)]);
        expect(applied).to.deep.equal(stamp(1_000));
        await expectSame(index, restored, query, view);
        after.forEach((step, n) => {
          applyStep(step, 2_000 + n, index);
          applyStep(step, 2_000 + n, restored);
        });
        await expectSame(index, restored, query, view);
      }),
      { numRuns: RUNS },
    ));

  it('is one of the moment when it was begun, whatever the index learns meanwhile and is told again afterwards', () =>
    fc.assert(
      fc.asyncProperty(
        stories,
        stories,
        fc.integer({ min: 1, max: 8 }),
        queries,
        views,
        async (before, meanwhile, early, query, view) => {
          const index = told(before);
          const pieces: Uint8Array[] = [];
          const learn = (): void => meanwhile.forEach((step, n) => void applyStep(step, 2_000 + n, index));
          for (const piece of index.snapshot(stamp(1_000))) {
            pieces.push(piece.slice());
            if (pieces.length === early) learn();
          }
          // A small index may have been written before.
          if (pieces.length < early) learn();
          const { index: restored } = await MemoryIndex.restore(pieces);
          meanwhile.forEach((step, n) => void applyStep(step, 2_000 + n, restored));
          await expectSame(index, restored, query, view);
        },
      ),
      { numRuns: RUNS },
    ));

  it('is read in chunks of any size', async () => {
    const index = MemoryIndex.create(TEST_SEED);
    for (let n = 1; n < 5_000; n += 1) index.add(sampleFact(n, { id: n % 2 === 0 ? sampleId(n) : `fact ${n}` }));
    const bytes = bytesOf(index);
    const chunks = Array.from({ length: Math.ceil(bytes.length / 9_999) }, (_, at) =>
      bytes.subarray(at * 9_999, (at + 1) * 9_999),
    );
    const { index: restored } = await MemoryIndex.restore(chunks);
    expect(restored.size).to.equal(4_999);
    const view: SearchView = { tenantId: 'default', scopes: ['company'], gardens: [], nowMs: 0, minConfidence: 0 };
    await expectSame(index, restored, 'value 4711', view);
  });

  const bytes = bytesOf(told([{ kind: 'fact', hlc: 1, fact: { sessionId: 'one' } }]));

  it('is refused when it is cut short, wherever', async () => {
    for (let length = 0; length < bytes.length; length += 7) {
      expect(await rejection(MemoryIndex.restore([bytes.subarray(0, length)]))).to.be.instanceOf(UnusableSnapshot);
    }
  });

  it('is refused when any byte of it is another one', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] as number) ^ change;
        expect(await rejection(MemoryIndex.restore([damaged]))).to.be.instanceOf(UnusableSnapshot);
      }),
      { numRuns: RUNS },
    ));

  it('is refused when another version made it, and when it is something else', async () => {
    const foreign = new FrameWriter().json({ format: 'fact index 0' });
    const refusal = await rejection(MemoryIndex.restore([foreign]));
    expect(refusal).to.be.instanceOf(UnusableSnapshot);
    expect(refusal).to.have.property('message').that.includes('another version');
    expect(await rejection(MemoryIndex.restore([Buffer.alloc(4_096, 'x')]))).to.be.instanceOf(UnusableSnapshot);
  });
});
