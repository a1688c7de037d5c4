import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import type { SearchView } from '../../../../plugins/search/search-api.ts';
import { bytesIn, UnusableSnapshot } from '../../../../plugins/search/snapshot/byte-source.ts';
import { FrameWriter } from '../../../../plugins/search/snapshot/snapshot-frames.ts';
import type { SnapshotOptions } from '../../../../plugins/search/snapshot/write-snapshot.ts';
import { findBeside, findNewest, findShares, findWords } from '../../../contract/search-index/ask-index.ts';
import { idsOf, sampleFact, sampleId, stamp } from '../../../kit/fact-samples.ts';
import { RUNS } from '../../../kit/property-runs.ts';
import { rejection } from '../../../kit/rejection.ts';
import { applyStep, queries, type Step, stories, views } from '../index/index-stories.ts';
import { TEST_SEED } from '../index/test-seed.ts';
import { snapshotBytes } from './snapshot-bytes.ts';

const told = (story: readonly Step[]): MemoryIndex => {
  const index = MemoryIndex.create(TEST_SEED);
  story.forEach((step, n) => void applyStep(step, n, index));
  return index;
};

const bytesOf = (index: MemoryIndex): Buffer => snapshotBytes(index);

const restore = (bytes: Uint8Array) => MemoryIndex.restore(bytesIn(bytes));

const expectSame = async (one: MemoryIndex, other: MemoryIndex, query: string, view: SearchView): Promise<void> => {
  const hits = await findWords(one, query, view, 5);
  expect(await findWords(other, query, view, 5)).to.deep.equal(hits);
  expect(await findBeside(other, hits, view, 5)).to.deep.equal(await findBeside(one, hits, view, 5));
  expect(await findShares(other, query, idsOf(hits), view)).to.deep.equal(
    await findShares(one, query, idsOf(hits), view),
  );
  expect(await findNewest(other, view, 50)).to.deep.equal(await findNewest(one, view, 50));
};

describe('a snapshot of the search index', () => {
  it('restores the index of any random history, which then continues unchanged', () =>
    fc.assert(
      fc.asyncProperty(stories, stories, queries, views, async (before, after, query, view) => {
        const index = told(before);
        const { index: restored, applied } = await restore(bytesOf(index));
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

  it('holds the state at its beginning, although the index changes meanwhile and gets the changes again', () =>
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
          for (const piece of index.snapshot(stamp(1_000)).chunks) {
            pieces.push(piece.slice());
            if (pieces.length === early) learn();
          }
          // A small index may be written before the changes.
          if (pieces.length < early) learn();
          const { index: restored } = await restore(Buffer.concat(pieces));
          meanwhile.forEach((step, n) => void applyStep(step, 2_000 + n, restored));
          await expectSame(index, restored, query, view);
        },
      ),
      { numRuns: RUNS },
    ));

  it('may be written in segments that contain only new parts, also by restored indexes', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ story: stories, isReadBetween: fc.boolean() }), { minLength: 2, maxLength: 5 }),
        stories,
        queries,
        views,
        async (pieces, after, query, view) => {
          const index = MemoryIndex.create(TEST_SEED);
          let writing = index;
          let bytes = Buffer.alloc(0);
          let next: SnapshotOptions = {};
          for (const [at, { story, isReadBetween }] of pieces.entries()) {
            const tell = (one: MemoryIndex) => story.forEach((step, n) => void applyStep(step, 100 * at + n, one));
            tell(index);
            if (writing !== index) tell(writing);
            const { chunks, writer, to } = writing.snapshot(stamp(100 * at + 99), next);
            bytes = Buffer.concat([bytes, ...[...chunks].map((chunk) => Uint8Array.from(chunk))]);
            next = { since: to, firstFrame: writer.next };
            if (!isReadBetween) continue;
            const read = await restore(bytes);
            writing = read.index;
            next = { since: read.place, firstFrame: read.frames };
          }
          const { index: restored } = await restore(bytes);
          await expectSame(index, restored, query, view);
          after.forEach((step, n) => {
            applyStep(step, 2_000 + n, index);
            applyStep(step, 2_000 + n, restored);
          });
          await expectSame(index, restored, query, view);
        },
      ),
      { numRuns: RUNS },
    ));

  it('may be extended after times to live arrived while a segment was written', async () => {
    const index = MemoryIndex.create(TEST_SEED);
    for (let n = 1; n <= 3; n += 1) index.add(sampleFact(n));
    const expire = (n: number, since = stamp(n + 3)) =>
      index.expire({ tenantId: 'default', factId: sampleId(n), expiresMs: n * 10, hlc: since, since });
    expire(1);
    const one = index.snapshot(stamp(4));
    const pieces: Uint8Array[] = [];
    for (const piece of one.chunks) {
      if (pieces.length === 0) expire(2);
      pieces.push(Uint8Array.from(piece));
    }
    expire(3);
    const rest = snapshotBytes(index, stamp(6), { since: one.to, firstFrame: one.writer.next });
    const { index: restored } = await MemoryIndex.restore(bytesIn(Buffer.concat([...pieces, rest])));
    const view: SearchView = { tenantId: 'default', scopes: ['company'], gardens: 'all', nowMs: 0, minConfidence: 0 };
    for (const nowMs of [5, 10, 20, 30]) {
      const expected = idsOf(await findNewest(index, { ...view, nowMs }, 10));
      expect(idsOf(await findNewest(restored, { ...view, nowMs }, 10))).to.deep.equal(expected);
    }
  });

  it('is refused when a segment is missing between others', async () => {
    const index = MemoryIndex.create(TEST_SEED);
    const segments: Buffer[] = [];
    let next: SnapshotOptions = {};
    for (let n = 1; n <= 3; n += 1) {
      index.add(sampleFact(n, {}));
      const { chunks, writer, to } = index.snapshot(stamp(1_000), next);
      segments.push(Buffer.concat([...chunks].map((chunk) => Uint8Array.from(chunk))));
      next = { since: to, firstFrame: writer.next };
    }
    expect((await restore(Buffer.concat(segments))).index.size).to.equal(3);
    expect((await restore(Buffer.concat(segments.slice(0, 2)))).index.size).to.equal(2);
    const gapped = Buffer.concat([segments[0] as Buffer, segments[2] as Buffer]);
    expect(await rejection(restore(gapped))).to.be.instanceOf(UnusableSnapshot);
    expect(await rejection(restore(segments[1] as Buffer))).to.be.instanceOf(UnusableSnapshot);
  });

  it('restores many facts in many pages, with any identifiers', async () => {
    const index = MemoryIndex.create(TEST_SEED);
    const fill = (from: number, to: number): void => {
      for (let n = from; n < to; n += 1) index.add(sampleFact(n, { id: n % 2 === 0 ? sampleId(n) : `fact ${n}` }));
    };
    fill(1, 5_000);
    const first = index.snapshot(stamp(1_000));
    const bytes = Buffer.concat([...first.chunks].map((chunk) => Uint8Array.from(chunk)));
    fill(5_000, 9_000);
    const options = { since: first.to, firstFrame: first.writer.next };
    const { index: restored } = await restore(Buffer.concat([bytes, snapshotBytes(index, stamp(2_000), options)]));
    expect(restored.size).to.equal(8_999);
    const view: SearchView = { tenantId: 'default', scopes: ['company'], gardens: [], nowMs: 0, minConfidence: 0 };
    for (const n of [4_711, 8_711]) await expectSame(index, restored, `value ${n}`, view);
  });

  const bytes = bytesOf(told([{ kind: 'fact', hlc: 1, fact: { sessionId: 'one' } }]));

  it('is refused if it is truncated anywhere', async () => {
    for (let length = 0; length < bytes.length; length += 7) {
      expect(await rejection(restore(bytes.subarray(0, length)))).to.be.instanceOf(UnusableSnapshot);
    }
  });

  it('is refused if any byte differs', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] as number) ^ change;
        expect(await rejection(restore(damaged))).to.be.instanceOf(UnusableSnapshot);
      }),
      { numRuns: RUNS },
    ));

  it('is refused if another version wrote it, or if it is no snapshot', async () => {
    const foreign = new FrameWriter().json({ format: 'fact index 0' });
    const refusal = await rejection(restore(foreign));
    expect(refusal).to.be.instanceOf(UnusableSnapshot);
    expect(refusal).to.have.property('message').that.includes('another version');
    expect(await rejection(restore(Buffer.alloc(4_096, 'x')))).to.be.instanceOf(UnusableSnapshot);
  });
});
