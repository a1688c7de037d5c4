import { expect } from 'chai';
import { madeSet } from '../../bench/recall/made-sets.ts';

describe('The made-up sets of the quality bench', () => {
  for (const name of ['made-talk', 'made-notes', 'made-rules']) {
    it(`hold one fact that answers each of the 40 questions of ${name}`, () => {
      const { rows, queries } = madeSet(name) ?? { rows: [], queries: [] };
      expect(queries.length).to.equal(40);
      for (const { query, gold } of queries) {
        expect(rows.filter(({ id }) => gold[id] === 1).length, query).to.equal(1);
      }
    });

    it(`give every fact of ${name} an id of its own and leave no name open`, () => {
      const { rows, queries } = madeSet(name) ?? { rows: [], queries: [] };
      expect(new Set(rows.map(({ id }) => id)).size).to.equal(rows.length);
      const texts = [...rows.map(({ text }) => text), ...queries.map(({ query }) => query)];
      expect(texts.filter((text) => text.includes('NAME'))).to.deep.equal([]);
    });
  }

  it('do not include one with the path of a folder as its name', () => {
    expect(madeSet('some/folder')).to.equal(undefined);
  });
});
