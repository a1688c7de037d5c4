import { expect } from 'chai';
import fc from 'fast-check';
import { type CodeSpace, createCodeSpace } from '../../../../plugins/search/codes/code-space.ts';
import type { CodeTable } from '../../../../plugins/search/codes/code-table.ts';
import { RUNS } from '../../../kit/property-runs.ts';
import { unitVectors } from './unit-vectors.ts';

const DIMENSIONS = 40;

interface WrittenBlock {
  readonly block: number;
  readonly bytes: Uint8Array;
}

const written = (table: CodeTable, which: 'all' | 'changed' = 'all'): WrittenBlock[] =>
  table.takeBlocks(which).map((block) => ({ block, bytes: Uint8Array.from(table.bytesOf(block)) }));

const readBack = (table: CodeTable, blocks: readonly WrittenBlock[]): void => {
  for (const { block, bytes } of blocks) {
    const [room, ...others] = table.roomFor(block, bytes.length);
    expect(others).to.deep.equal([]);
    room?.set(bytes);
    table.restored(block, 1);
  }
};

describe('a table of vector codes', () => {
  let space: CodeSpace;
  let table: CodeTable;
  let draw: () => Float32Array;
  beforeEach(() => {
    space = createCodeSpace({ dimensions: DIMENSIONS });
    table = space.createTable();
    draw = unitVectors(DIMENSIONS, 11);
  });

  const set = (ordinal: number, vector = draw(), into = table): Float32Array => {
    const { code, scale } = space.quantise(vector);
    into.set(ordinal, code, scale);
    return vector;
  };
  const find = (vector: Float32Array, where = table): number[] =>
    space.search(vector, [{ table: where, accepts: undefined }], 0.9, 100).map(({ ordinal }) => ordinal);

  it('stores the latest code of each document and deletes it, like a map', () => {
    const ordinal = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 5_000 }));
    const step = fc.record({ ordinal, forget: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        table.clear();
        const model = new Map<number, { code: Int8Array; scale: number }>();
        for (const { ordinal: at, forget } of steps) {
          if (forget) {
            expect(table.delete(at)).to.equal(model.delete(at));
            continue;
          }
          const vector = space.quantise(draw());
          model.set(at, vector);
          table.set(at, vector.code, vector.scale);
        }
        expect(table.size).to.equal(model.size);
        for (const { ordinal: at } of steps) {
          expect(table.has(at)).to.equal(model.has(at));
          expect(table.get(at)).to.deep.equal(model.get(at));
        }
        const copy = space.createTable();
        readBack(copy, written(table));
        expect(copy.size).to.equal(model.size);
        for (const { ordinal: at } of steps) expect(copy.get(at)).to.deep.equal(model.get(at));
        copy.clear();
      }),
      { numRuns: RUNS },
    );
  });

  it('finds a replaced document only by its new vector', () => {
    const before = set(2_000);
    const after = set(2_000);
    expect(find(before)).to.deep.equal([]);
    expect(find(after)).to.deep.equal([2_000]);
    table.delete(2_000);
    expect(find(after)).to.deep.equal([]);
  });

  it('keeps its documents while other tables enlarge the memory', () => {
    const vectors = [0, 7, 8, 31, 32, 1_023, 1_024, 3_000].map((ordinal) => [ordinal, set(ordinal)] as const);
    const bytes = space.bytes;
    const other = space.createTable();
    for (let ordinal = 0; ordinal < 40_000; ordinal++) set(ordinal, vectors[0]?.[1], other);
    expect(space.bytes).to.be.above(bytes);
    for (const [ordinal, vector] of vectors) expect(find(vector)).to.deep.equal([ordinal]);
  });

  it('gives its memory to other tables when it is cleared', () => {
    const first = set(0);
    for (let ordinal = 1; ordinal < 20_000; ordinal++) set(ordinal);
    const bytes = space.bytes;
    for (let round = 0; round < 3; round++) {
      table.clear();
      expect([table.size, table.has(0), find(first)]).to.deep.equal([0, false, []]);
      table = space.createTable();
      for (let ordinal = 19_999; ordinal > 0; ordinal--) set(ordinal);
      expect([table.size, table.has(0), table.has(1)]).to.deep.equal([19_999, false, true]);
    }
    expect(space.bytes).to.equal(bytes);
  });

  it('returns the same results after a restart', () => {
    for (let ordinal = 0; ordinal < 3_000; ordinal += 2) set(ordinal);
    const restarted = createCodeSpace({ dimensions: DIMENSIONS });
    const copy = restarted.createTable();
    set(5, draw(), table);
    readBack(copy, written(table));
    const query = draw();
    const search = (where: CodeSpace, searched: CodeTable): unknown =>
      where.search(query, [{ table: searched, accepts: undefined }], -1, 50);
    expect(search(restarted, copy)).to.deep.equal(search(space, table));
  });

  it('refuses blocks of other dimensions or of another length', () => {
    set(3);
    set(1_500);
    const blocks = written(table);
    const foreign = createCodeSpace({ dimensions: DIMENSIONS * 2 }).createTable();
    expect(() => readBack(foreign, blocks)).to.throw(RangeError);
    const { length } = blocks[0]?.bytes ?? new Uint8Array(0);
    const copy = space.createTable();
    expect(() => copy.roomFor(0, length - 1)).to.throw(RangeError);
    expect(() => copy.roomFor(2 ** 30, length)).to.throw(RangeError);
    expect(copy.size).to.equal(0);
    readBack(copy, blocks);
    expect([copy.size, copy.has(3), copy.has(1_500)]).to.deep.equal([2, true, true]);
  });

  it('restores consecutive blocks at once', () => {
    for (let ordinal = 0; ordinal < 3_000; ordinal += 3) set(ordinal);
    const blocks = written(table);
    const copy = createCodeSpace({ dimensions: DIMENSIONS }).createTable();
    const room = copy.roomFor(
      0,
      blocks.reduce((sum, { bytes }) => sum + bytes.length, 0),
    );
    expect(room.map(({ length }) => length)).to.deep.equal(blocks.map(({ bytes }) => bytes.length));
    room.forEach((place, at) => {
      place.set(blocks[at]?.bytes ?? []);
    });
    copy.restored(0, room.length);
    expect(copy.size).to.equal(table.size);
    expect(copy.get(2_997)).to.deep.equal(table.get(2_997));
  });

  it('reports blocks that changed; the last version of a block counts', () => {
    for (let ordinal = 0; ordinal < 3_000; ordinal++) set(ordinal);
    const copy = space.createTable();
    readBack(copy, written(table));
    expect(table.takeBlocks('changed')).to.deep.equal([]);
    const vector = set(2_900);
    set(3_100);
    table.delete(5);
    table.delete(10_000);
    const changed = written(table, 'changed');
    expect(changed).to.have.length(3);
    readBack(copy, changed);
    expect([copy.size, copy.has(5), copy.has(3_100)]).to.deep.equal([3_000, false, true]);
    expect(find(vector, copy)).to.deep.equal([2_900]);
    expect(copy.bytes).to.equal(table.bytes);
  });

  it('refuses invalid document numbers and codes', () => {
    for (const ordinal of [-1, 0.5, Number.NaN, 2 ** 32]) {
      expect(() => set(ordinal)).to.throw(RangeError, 'ordinal');
      expect([table.has(ordinal), table.get(ordinal), table.delete(ordinal)]).to.deep.equal([false, undefined, false]);
    }
    expect(() => table.set(0, new Int8Array(DIMENSIONS - 1), 1)).to.throw(RangeError, 'components');
    expect(table.size).to.equal(0);
  });
});
