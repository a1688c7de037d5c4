import { expect } from 'chai';
import { createCodeSpace } from '../../../../plugins/search/codes/code-space.ts';
import { MemoryIndex } from '../../../../plugins/search/index/memory-index.ts';
import type { SearchView } from '../../../../plugins/search/search-api.ts';
import { bytesIn } from '../../../../plugins/search/snapshot/byte-source.ts';
import type { StoredFact } from '../../../../ports/ports.ts';
import { askSpread, findNear } from '../../../contract/search-index/ask-index.ts';
import { idsOf, sampleCover, sampleFact, sampleId, stamp } from '../../../kit/fact-samples.ts';
import { TEST_SEED } from '../index/test-seed.ts';
import { SAMPLE_VIEW } from '../sample-view.ts';
import { snapshotBytes } from '../snapshot/snapshot-bytes.ts';

const DIMENSIONS = 64;

const nameOf = (n: number) => ({ tenantId: SAMPLE_VIEW.tenantId, id: sampleId(n) });

const said = (n: number, text: string, members: Partial<StoredFact> = {}): StoredFact =>
  sampleFact(n, { value: { type: 'text', v: text, interpretAs: 'content' }, ...members });

/** Returns a unit vector that approaches the first axis as its number approaches ten. */
const vectorOf = (n: number): Float32Array => {
  const vector = new Float32Array(DIMENSIONS);
  vector[0] = n / 10;
  vector[n] = Math.sqrt(1 - (n / 10) ** 2);
  return vector;
};

describe('a search by vectors', () => {
  const query = vectorOf(10);
  const codes = createCodeSpace({ dimensions: DIMENSIONS });
  const GARDEN = 'garden-a';
  const index = MemoryIndex.create(TEST_SEED);
  const layer = index.createVectors(codes);
  const found = async (view: Partial<SearchView> = {}, floor = 0, limit = 100): Promise<string[]> =>
    idsOf(await findNear(index, query, floor, { ...SAMPLE_VIEW, ...view }, limit));
  const set = (to: typeof layer, n: number): boolean => {
    const { code, scale } = codes.quantise(vectorOf(Math.min(n, 9)));
    return to.set(nameOf(n), code, scale);
  };
  before(() => {
    index.add(said(1, 'plain'));
    index.add(said(2, 'mortal', { relationKey: 'memory:note', validUntilMs: 100 }));
    index.add(said(3, 'faint', { relationKey: 'memory:note', confidence: 0.2 }));
    index.add(said(4, 'elsewhere', { relationKey: 'memory:note', gardenId: GARDEN }));
    index.add(said(5, 'other', { entityKey: 'user:bob' }));
    index.add(said(6, 'without a vector'));
    for (let n = 1; n <= 5; n += 1) expect(set(layer, n)).to.equal(true);
  });

  it('finds nothing before vectors are loaded', async () => {
    expect(await found()).to.deep.equal([]);
    index.serveVectors({ embedder: 'scripted', layer: layer });
    expect(await found()).not.to.be.empty;
  });

  it('leaves out a damaged code, which has another length', () => {
    expect(layer.set(nameOf(6), new Int8Array(DIMENSIONS + 1), 1)).to.equal(false);
    expect(layer.has(nameOf(6))).to.equal(false);
  });

  it('returns the similarities of a view and of named facts, and no others', async () => {
    const ids = [1, 3, 4, 6, 99].map(sampleId);
    const { hits, spread } = await askSpread(index, query, ids, { ...SAMPLE_VIEW, minConfidence: 0.1 });
    const seen = (await findNear(index, query, -1, SAMPLE_VIEW, 100)).map(({ score }) => score);
    const mean = seen.reduce((sum, score) => sum + score, 0) / seen.length;
    expect(spread?.count).to.equal(seen.length);
    expect(spread?.mean).to.be.closeTo(mean, 1e-9);
    expect((spread?.deviation ?? 0) ** 2).to.be.closeTo(
      seen.reduce((sum, score) => sum + (score - mean) ** 2, 0) / seen.length,
      1e-9,
    );
    expect(hits.map(({ score }) => Math.round(score * 10))).to.deep.equal([3, 1]);
    const wider = await askSpread(index, query, ids, { ...SAMPLE_VIEW, gardens: 'all' });
    expect(wider.spread?.count).to.equal(seen.length + 1);
    expect(wider.hits.length).to.equal(3);
    const none = await askSpread(index, query, ids, { ...SAMPLE_VIEW, scopes: ['public'] });
    expect(none).to.deep.equal({ hits: [], spread: { count: 0, mean: 0, deviation: 0 } });
  });

  it('reports which facts have a vector', () => {
    expect([1, 6, 99].map((n) => layer.has(nameOf(n)))).to.deep.equal([true, false, false]);
    expect(set(layer, 99)).to.equal(false);
  });

  it('finds the facts of the view, for every way to narrow it', async () => {
    const ids = (...numbers: number[]): string[] => numbers.map(sampleId);
    expect(await found({ nowMs: 0 })).to.deep.equal(ids(5, 3, 2, 1));
    expect(await found()).to.deep.equal(ids(5, 3, 1));
    expect(await found({ nowMs: 0 }, 0.15, 2)).to.deep.equal(ids(5, 3));
    expect(await found({ minConfidence: 0.3 })).to.deep.equal(ids(5, 1));
    expect(await found({ minConfidence: 0.9 })).to.deep.equal(ids(5, 1));
    expect(await found({ gardens: [GARDEN] })).to.deep.equal(ids(5, 4, 3, 1));
    expect(await found({ gardens: 'all', onlyGarden: GARDEN })).to.deep.equal(ids(4));
    expect(await found({ entityKey: 'user:bob' })).to.deep.equal(ids(5));
    expect(await found({ relationKey: 'memory:note' })).to.deep.equal(ids(3));
  });

  it('leaves out facts that ended in their own garden or scope', async () => {
    index.cover({
      ...sampleCover(sampleId(90), stamp(90), { relationKey: 'memory:note', gardenId: GARDEN }),
      since: stamp(90),
    });
    expect(await found()).to.deep.equal([5, 3, 1].map(sampleId));
    expect(await found({ gardens: [GARDEN] })).to.deep.equal([5, 3, 1].map(sampleId));
    index.cover({ ...sampleCover(sampleId(91), stamp(91), { relationKey: 'memory:note' }), since: stamp(91) });
    expect(await found({ gardens: [GARDEN] })).to.deep.equal([5, 1].map(sampleId));
    index.cover({ ...sampleCover(sampleId(92), stamp(92)), since: stamp(92) });
    expect(await found()).to.deep.equal([5].map(sampleId));
  });

  it('gives vectors the same numbers after a restore from a snapshot', async () => {
    const { index: restored } = await MemoryIndex.restore(bytesIn(snapshotBytes(index, stamp(100))));
    const layerAgain = restored.createVectors(codes);
    for (let n = 1; n <= 5; n += 1) set(layerAgain, n);
    expect(layerAgain.tables.map((table) => table?.size)).to.deep.equal(layer.tables.map((table) => table?.size));
    restored.serveVectors({ embedder: 'scripted', layer: layerAgain });
    const view: SearchView = { ...SAMPLE_VIEW, gardens: 'all', nowMs: 0 };
    const hits = await findNear(index, query, 0, view, 10);
    expect(hits).not.to.be.empty;
    expect(await findNear(restored, query, 0, view, 10)).to.deep.equal(hits);
  });
});
