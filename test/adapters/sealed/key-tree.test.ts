import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { KeyTree, pathOf } from '../../../adapters/sealed/key-tree.ts';
import { readTree, spellTree } from '../../../adapters/sealed/spelled-tree.ts';

const DEPTH = 9;

const path = fc.stringMatching(new RegExp(`^[0-3]{${DEPTH}}$`));
const paths = fc.uniqueArray(path, { minLength: 1, maxLength: 12 });
const prefix = fc.stringMatching(/^[0-3]{1,4}$/);

const freshTree = (): KeyTree => new KeyTree([['', randomBytes(32)]]);

const keysOf = (tree: KeyTree, of: readonly string[]): (string | undefined)[] =>
  of.map((one) => tree.keyAt(one)?.toString('hex'));

describe('a tree of keys', () => {
  it('derives the same key for a path each time, and another one for each path', () => {
    fc.assert(
      fc.property(paths, (asked) => {
        const tree = freshTree();
        const keys = keysOf(tree, asked);
        expect(keysOf(tree, asked)).to.deep.equal(keys);
        expect(new Set(keys).size).to.equal(asked.length);
      }),
    );
  });

  it('destroys exactly the keys at or below the given paths, in any order, and leaves all others as they were', () => {
    fc.assert(
      fc.property(paths, fc.array(fc.oneof(path, prefix), { maxLength: 6 }), (asked, doomed) => {
        const tree = freshTree();
        const before = keysOf(tree, asked);
        for (const one of doomed) tree.destroy(one);
        const isDoomed = (one: string): boolean => doomed.some((gone) => one.startsWith(gone));
        expect(keysOf(tree, asked)).to.deep.equal(
          before.map((key, at) => (isDoomed(asked[at] ?? '') ? undefined : key)),
        );
      }),
    );
  });

  it('holds no node above a destroyed key, and opens the others from its nodes alone', () => {
    fc.assert(
      fc.property(paths, paths, (asked, doomed) => {
        const tree = freshTree();
        for (const one of doomed) tree.destroy(one);
        for (const [held] of tree.nodes()) expect(doomed.some((gone) => gone.startsWith(held))).to.equal(false);
        const again = new KeyTree(readTree(spellTree(tree.nodes())));
        expect(keysOf(again, [...asked, ...doomed])).to.deep.equal(keysOf(tree, [...asked, ...doomed]));
      }),
    );
  });

  it('gives the same key below a label as at the whole path, before and after others are destroyed', () => {
    const tree = freshTree();
    const label = fc.uint8Array({ minLength: 2, maxLength: 2 }).map((bytes) => bytes.map((byte) => byte & 0b11_00_01));
    const place = fc.tuple(fc.constantFrom('', '02', '0212031230', '3'), label, fc.constantFrom('', '0', '30'));
    const cut = fc.option(fc.nat({ max: 18 }), { nil: undefined, freq: 2 });
    fc.assert(
      fc.property(place, cut, ([above, bytes, below], length) => {
        const path = above + pathOf(bytes) + below;
        expect(tree.keyBelow(above, bytes, below)).to.deep.equal(tree.keyAt(path));
        if (length === undefined || length < above.length + 5) return;
        tree.destroy(path.slice(0, length));
        expect(tree.keyBelow(above, bytes, below)).to.equal(undefined);
      }),
      { numRuns: 1_000 },
    );
  });

  it('says whether it destroyed something', () => {
    const tree = freshTree();
    expect(tree.destroy('012301230')).to.equal(true);
    expect(tree.destroy('012301230')).to.equal(false);
    expect(tree.destroy('0123')).to.equal(true);
    expect(tree.hasAnyBelow('0123')).to.equal(false);
    expect(tree.hasAnyBelow('012')).to.equal(true);
  });

  it('refuses a seed of another length', () => {
    expect(() => new KeyTree([['', randomBytes(31)]])).to.throw(RangeError);
  });
});
