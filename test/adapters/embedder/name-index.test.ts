import { expect } from 'chai';
import { NameIndex } from '../../../adapters/embedder/name-index.ts';

const indexOf = (names: readonly string[], count = names.length): NameIndex =>
  new NameIndex(Buffer.from(names.map((name) => `${name}\n`).join('')), count);

describe('the index of names', () => {
  it('finds each of many names, and no other text', () => {
    const names = Array.from({ length: 3_000 }, (_, at) => `n${(at * 7).toString(36)}`);
    const index = indexOf(names);
    for (const [number, name] of names.entries()) {
      expect(index.find(name), name).to.equal(number);
      for (const other of [`${name}+`, `+${name}`, `${name}\n`, name.slice(1)])
        expect(index.find(other)).to.equal(undefined);
    }
  });

  it('finds nothing beyond the given number, an empty name only if listed, and no letter that a byte cannot hold', () => {
    const index = indexOf(['one', 'two', 'three'], 2);
    expect(index.find('two')).to.equal(1);
    for (const name of ['three', '', 'oneŴ', `on${String.fromCharCode(0x100 + 0x65)}`]) {
      expect(index.find(name), name).to.equal(undefined);
    }
    expect(indexOf(['one', '']).find('')).to.equal(1);
    expect(indexOf([]).find('one')).to.equal(undefined);
  });

  it('refuses a list with fewer names', () => {
    expect(() => indexOf(['one', 'two'], 3)).to.throw(RangeError, 'the list has 2 of 3 names');
    expect(() => new NameIndex(Buffer.from('one'), 1)).to.throw(RangeError);
  });
});
