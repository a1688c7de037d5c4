import { expect } from 'chai';
import type { Scope } from '../../../kernel/plugin-api.ts';
import { findBeside, findNear, findNewest, findWords } from './ask-index.ts';
import { vectorOf } from './pointing-vectors.ts';
import { type CurrentNode, text } from './search-node.ts';

const TENANT = { tenantId: 'hostile' };
const EMPTY_QUERIES = ['', '   ', '"', '" OR 1=1 --', 'NEAR(', '*:*', '(((', '\\', '😀', '\u0000', '\ud800', '?'];
const MEGABYTE = 2 ** 20;

/** The contract of searches that are empty, malformed or meant to do harm. */
export const describeHostileSearches = (current: CurrentNode): void => {
  before(async () => {
    await current().say(
      { ...TENANT, value: text('AND OR NOT "quoted" river*') },
      { ...TENANT, value: text("__proto__ constructor toString '; DROP TABLE facts; --") },
      { ...TENANT, value: text('x'.repeat(10_000)) },
    );
  });

  it('finds nothing, and does not fail, for queries without words', async () => {
    for (const query of EMPTY_QUERIES) {
      expect(await findWords(current().index, query, current().view(TENANT), 9), JSON.stringify(query)).to.deep.equal(
        [],
      );
    }
  });

  it('finds words that are also operators, statements or names of object members', async () => {
    for (const query of ['river*', 'constructor __proto__', 'DROP TABLE', 'quoted" AND "river']) {
      expect(await findWords(current().index, query, current().view(TENANT), 9), query).to.have.length(1);
    }
  });

  it('finds the rare words of a query of a megabyte', async () => {
    const many = Array.from({ length: 4_000 }, (_, n) => `w${n}`).join(' ');
    const query = `${'river '.repeat(1_000)}${many} ${'é'.repeat(MEGABYTE)}`;
    expect(await findWords(current().index, query, current().view(TENANT), 9)).to.have.length(1);
  });

  it('finds nothing for a limit of zero, and nothing of unknown seeds', async () => {
    const view = current().view(TENANT);
    const seeds = [{ id: "unknown'", score: 1 }];
    expect(await findWords(current().index, 'river', view, 0)).to.deep.equal([]);
    expect(await findNewest(current().index, view, 0)).to.deep.equal([]);
    expect(await findNear(current().index, vectorOf(1), -1, view, 0)).to.deep.equal([]);
    expect(await findBeside(current().index, seeds, view, 9)).to.deep.equal([]);
  });

  it('finds nothing for names with quotes, zero bytes and lone surrogates', async () => {
    for (const name of ["' OR true --", '\u0000', '\ud800', '%']) {
      for (const view of [{ tenantId: name }, { scopes: [name as Scope] }, { onlyGarden: name }, { entityKey: name }]) {
        const narrowed = current().view({ ...TENANT, ...view });
        expect(await findWords(current().index, 'river', narrowed, 9)).to.deep.equal([]);
        expect(await findNewest(current().index, narrowed, 9)).to.deep.equal([]);
      }
    }
  });
};
