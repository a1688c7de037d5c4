import { expect } from 'chai';
import fc from 'fast-check';
import { type CodeHit, type CodeSpace, createCodeSpace } from '../../../../plugins/search/codes/code-space.ts';
import type { CodeTable } from '../../../../plugins/search/codes/code-table.ts';
import { vectorOfCode } from '../../../../plugins/search/codes/quantise.ts';
import { RUNS } from '../../../kit/property-runs.ts';
import { unitVectors } from './unit-vectors.ts';

const store = (space: CodeSpace, table: CodeTable, ordinal: number, vector: Float32Array): void => {
  const { code, scale } = space.quantise(vector);
  table.set(ordinal, code, scale);
};

const bitmap = (ordinals: Iterable<number>, length: number): Uint32Array => {
  const words = new Uint32Array(Math.ceil(length / 32));
  for (const at of ordinals) words[at >>> 5] = (words[at >>> 5] as number) | (1 << (at & 31));
  return words;
};

const stored = new WeakMap<Float32Array, Float32Array>();

/** Returns what remains of a stored vector, which several searches compare. */
const storedOf = (space: CodeSpace, vector: Float32Array): Float32Array => {
  const known = stored.get(vector) ?? vectorOfCode(space.quantise(vector));
  stored.set(vector, known);
  return known;
};

const product = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return sum;
};

/** Compares the query with every accepted document, in floating-point numbers. */
const naiveSearch = (
  space: CodeSpace,
  query: Float32Array,
  parts: readonly {
    readonly vectors: ReadonlyMap<number, Float32Array>;
    readonly accepts?: ReadonlySet<number> | undefined;
  }[],
): CodeHit[] =>
  parts
    .flatMap(({ vectors, accepts }, target) =>
      [...vectors]
        .filter(([ordinal]) => accepts?.has(ordinal) ?? true)
        .map(([ordinal, vector]) => ({ target, ordinal, similarity: product(query, storedOf(space, vector)) })),
    )
    .sort((a, b) => b.similarity - a.similarity);

/** Expects the same documents, apart from ranks that differ by less than the precision of the codes. */
const expectSame = (found: readonly CodeHit[], naive: readonly CodeHit[], floor: number, limit: number): void => {
  const right = naive.filter(({ similarity }) => similarity >= floor).slice(0, limit);
  const near = naive.some(({ similarity }) => Math.abs(similarity - floor) < CLOSE);
  if (!near) expect(found.length).to.equal(right.length);
  found.forEach((hit, at) => {
    const same = naive.find(({ target, ordinal }) => target === hit.target && ordinal === hit.ordinal);
    expect(same?.similarity).to.be.closeTo(hit.similarity, CLOSE);
    if (at < right.length) expect(hit.similarity).to.be.closeTo((right[at] as CodeHit).similarity, CLOSE);
    if (at > 0) expect(hit.similarity).to.be.at.most((found[at - 1] as CodeHit).similarity);
    expect(hit.similarity).to.be.at.least(floor);
  });
};

const CLOSE = 1e-3;
/** A limit above the number of stored documents. */
const MOST = 256;

describe('a search over vectors that are compressed to codes', () => {
  it('finds the same as a search over all vectors, with any tables, deletions, replacements and filters', () => {
    const part = fc.record({
      ordinals: fc.array(fc.integer({ min: 0, max: 2_500 }), { maxLength: 60 }),
      filtered: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(1, 8, 24, 256, 768),
        fc.integer(),
        fc.double({ min: -0.3, max: 0.5, noNaN: true }),
        fc.integer({ min: 1, max: 40 }),
        (parts, dimensions, seed, floor, limit) => {
          const space = createCodeSpace({ dimensions });
          const draw = unitVectors(dimensions, seed);
          const made = parts.map(({ ordinals, filtered }) => {
            const table = space.createTable();
            const vectors = new Map<number, Float32Array>();
            for (const ordinal of ordinals) {
              const vector = draw();
              vectors.set(ordinal, vector);
              store(space, table, ordinal, vector);
            }
            expect(table.size).to.equal(vectors.size);
            const accepts = filtered ? new Set(ordinals.filter((ordinal) => ordinal % 3 !== 0)) : undefined;
            return { table, vectors, accepts };
          });
          const query = draw();
          const targets = made.map(({ table, accepts }) => ({ table, accepts: accepts && bitmap(accepts, 2_501) }));
          expectSame(space.search(query, targets, floor, limit), naiveSearch(space, query, made), floor, limit);
          const all = space.search(query, targets, -2, MOST).map(({ similarity }) => similarity);
          expect([...space.similarities(query, targets, MOST)].sort((a, b) => b - a)).to.deep.equal(all);
        },
      ),
      { numRuns: RUNS },
    );
  });

  for (const dimensions of [256, 768]) {
    describe(`with twelve thousand documents of ${dimensions} dimensions`, () => {
      const COUNT = 12_000;
      let space: CodeSpace;
      let table: CodeTable;
      let vectors: Map<number, Float32Array>;
      let draw: () => Float32Array;
      before(() => {
        space = createCodeSpace({ dimensions });
        table = space.createTable();
        draw = unitVectors(dimensions, 7);
        vectors = new Map(Array.from({ length: COUNT }, (_, ordinal) => [ordinal, draw()]));
        for (const [ordinal, vector] of vectors) store(space, table, ordinal, vector);
      });

      it('finds each document by its own vector', () => {
        for (let ordinal = 3; ordinal < COUNT; ordinal += 997) {
          const [best] = space.search(vectors.get(ordinal) as Float32Array, [{ table, accepts: undefined }], 0.5, 5);
          expect(best?.ordinal).to.equal(ordinal);
          expect(best?.similarity).to.be.closeTo(1, 0.01);
        }
      });

      it('finds nearly all of the nearest documents', () => {
        let found = 0;
        for (let round = 0; round < 10; round++) {
          const base = vectors.get(round * 100) as Float32Array;
          const query = draw().map((component, at) => component * 0.6 + (base[at] as number) * 0.8);
          const right = naiveSearch(space, query, [{ vectors }])
            .slice(0, 10)
            .map(({ ordinal }) => ordinal);
          const hits = space.search(query, [{ table, accepts: undefined }], -1, 10);
          found += hits.filter(({ ordinal }) => right.includes(ordinal)).length;
        }
        expect(found).to.be.at.least(90);
      });

      it('applies a filter before the limit on results', () => {
        const accepted = new Set([0, 1_023, 1_024, 6_000, COUNT - 1]);
        const query = draw();
        const targets = [{ table, accepts: bitmap(accepted, COUNT) }];
        const hits = space.search(query, targets, -1, 10);
        const naive = naiveSearch(space, query, [{ vectors, accepts: accepted }]);
        expect(hits.map(({ ordinal }) => ordinal)).to.deep.equal(naive.map(({ ordinal }) => ordinal));
      });

      it('accepts no document beyond the end of a filter bitmap', () => {
        const targets = [{ table, accepts: bitmap([5], 40) }];
        expect(space.search(draw(), targets, -1, 10).map(({ ordinal }) => ordinal)).to.deep.equal([5]);
        expect(space.search(draw(), [{ table, accepts: new Uint32Array(0) }], -1, 10)).to.deep.equal([]);
      });
    });
  }

  it('orders equal documents as the caller requests, and keeps the first ones of that order', () => {
    const space = createCodeSpace({ dimensions: 64 });
    const [draw, table] = [unitVectors(64, 5), space.createTable()];
    const same = draw();
    for (let ordinal = 0; ordinal < 1_000; ordinal++) store(space, table, ordinal, same);
    const evenFirst = (a: { ordinal: number }, b: { ordinal: number }) =>
      (a.ordinal % 2) - (b.ordinal % 2) || a.ordinal - b.ordinal;
    const hits = space.search(same, [{ table, accepts: undefined }], 0.9, 4, evenFirst);
    expect(hits.map(({ ordinal }) => ordinal)).to.deep.equal([0, 2, 4, 6]);
  });

  it('ranks the higher document number first among equals, however many there are', () => {
    const space = createCodeSpace({ dimensions: 64 });
    const [draw, table] = [unitVectors(64, 3), space.createTable()];
    const same = draw();
    for (let ordinal = 0; ordinal < 10_000; ordinal++) store(space, table, ordinal, same);
    const ordinals = space.search(same, [{ table, accepts: undefined }], 0.9, 4).map(({ ordinal }) => ordinal);
    expect(ordinals).to.deep.equal([9_999, 9_998, 9_997, 9_996]);
    const [few, others] = [space.createTable(), space.createTable()];
    for (const ordinal of [4, 2]) store(space, few, ordinal, same);
    for (const ordinal of [4, 3]) store(space, others, ordinal, same);
    const targets = [few, others].map((each) => ({ table: each, accepts: undefined }));
    const hits = space.search(same, targets, 0.9, 4).map(({ target, ordinal }) => [target, ordinal]);
    expect(hits).to.deep.equal([
      [0, 4],
      [1, 4],
      [1, 3],
      [0, 2],
    ]);
  });

  it('finds nothing in empty tables, below the floor, or for a limit of zero', () => {
    const space = createCodeSpace({ dimensions: 16 });
    const draw = unitVectors(16, 5);
    const table = space.createTable();
    const query = draw();
    expect(space.search(query, [], -1, 5)).to.deep.equal([]);
    expect(space.search(query, [{ table, accepts: undefined }], -1, 5)).to.deep.equal([]);
    store(
      space,
      table,
      0,
      query.map((component) => -component),
    );
    expect(space.search(query, [{ table, accepts: undefined }], -0.9, 5)).to.deep.equal([]);
    expect(space.search(query, [{ table, accepts: undefined }], -1.1, 0)).to.deep.equal([]);
    expect(space.search(query, [{ table, accepts: undefined }], -1.1, 5)).to.have.length(1);
  });

  it('needs almost no time for thousands of tables with a few documents', () => {
    const space = createCodeSpace({ dimensions: 256 });
    const draw = unitVectors(256, 9);
    const vector = draw();
    const tables = Array.from({ length: 3_000 }, () => space.createTable());
    const before = space.bytes;
    for (const table of tables) store(space, table, 0, vector);
    expect((space.bytes - before) / tables.length).to.be.below(4_000);
    expect(
      space.search(
        vector,
        tables.map((table) => ({ table, accepts: undefined })),
        0.9,
        3_000,
      ),
    ).to.have.length(3_000);
  });

  it('takes about as much memory for searches with rising limits as for the one with the highest', () => {
    const [MOST, least] = [1_000, 129];
    const spaceWith = (): { readonly space: CodeSpace; readonly search: (limit: number) => void } => {
      const space = createCodeSpace({ dimensions: 64 });
      const table = space.createTable();
      const vector = unitVectors(64, 1)();
      store(space, table, 0, vector);
      return { space, search: (limit) => space.search(vector, [{ table, accepts: undefined }], -1, limit) };
    };
    const [once, rising] = [spaceWith(), spaceWith()];
    once.search(MOST);
    for (let limit = least; limit <= MOST; limit += 1) rising.search(limit);
    expect(rising.space.bytes).to.be.at.most(2 * once.space.bytes);
  });

  it('takes about as much memory for searches over a growing table as for the last one', () => {
    const BLOCKS = 400;
    const bytesAfter = (searches: boolean): number => {
      const space = createCodeSpace({ dimensions: 1 });
      const table = space.createTable();
      const vector = Float32Array.of(1);
      const search = () => space.search(vector, [{ table, accepts: undefined }], -1, 1);
      for (let at = 0; at < BLOCKS; at += 1) {
        store(space, table, at * 1_024, vector);
        if (searches) search();
      }
      search();
      return space.bytes;
    };
    expect(bytesAfter(true)).to.be.at.most(2 * bytesAfter(false));
  });

  it('refuses vectors of other dimensions, components that are not finite, and tables of another space', () => {
    const space = createCodeSpace({ dimensions: 16 });
    const foreign = createCodeSpace({ dimensions: 16 }).createTable();
    const bad = new Float32Array(16).fill(Number.NaN);
    expect(() => space.quantise(new Float32Array(8))).to.throw(RangeError);
    expect(() => space.quantise(bad)).to.throw(RangeError, 'not finite');
    expect(() => space.search(bad, [], 0, 1)).to.throw(RangeError, 'not finite');
    const targets = [{ table: foreign, accepts: undefined }];
    expect(() => space.search(new Float32Array(16), targets, 0, 1)).to.throw(RangeError, 'another code space');
    for (const dimensions of [0, 1.5, 20_000]) expect(() => createCodeSpace({ dimensions })).to.throw(RangeError);
  });

  it('refuses to start with a scanner library of another build', () => {
    const missing = (): Uint8Array => {
      throw new Error('gone');
    };
    // The smallest module there is: it exports nothing.
    const foreign = (): Uint8Array => Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
    expect(() => createCodeSpace({ dimensions: 16, load: missing })).to.throw('gone');
    expect(() => createCodeSpace({ dimensions: 16, load: foreign })).to.throw('npm run build');
    expect(() => createCodeSpace({ dimensions: 16, load: () => new Uint8Array(4) })).to.throw('npm run build');
  });
});
