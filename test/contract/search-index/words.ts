import { expect } from 'chai';
import fc from 'fast-check';
import { RUNS } from '../../kit/property-runs.ts';
import { askStep, findBeside, findNewest, findShares, findWords } from './ask-index.ts';
import { newestFirst } from './reference-index.ts';
import { narrowings, queries } from './sample-corpus.ts';
import { type CurrentNode, expectHits, GARDEN_A, text } from './search-node.ts';

const NEIGHBOUR_WEIGHTS = [0.4, 0.3, 0.2, 0.1];
const TOGETHER_WEIGHTS = [1, 0.7, 0.4];

/** The contract of words, newest facts and sessions, for every view. */
export const describeWords = (current: CurrentNode): void => {
  it('finds the same by words as scoring every live fact, with equal scores and order', () =>
    fc.assert(
      fc.asyncProperty(queries, narrowings(current), fc.integer({ min: 1, max: 6 }), async (query, viewOf, limit) => {
        const view = viewOf();
        const expected = await current().lexical(query, view, limit);
        expectHits(await findWords(current().index, query, view, limit), expected);
      }),
      { numRuns: RUNS },
    ));

  it('gives a bound that no score by words exceeds', () =>
    fc.assert(
      fc.asyncProperty(queries, narrowings(current), async (query, viewOf) => {
        const { hits, bound = 0 } = await askStep(current().index, { find: 'words', query, limit: 9 }, viewOf());
        for (const { score } of hits) expect(score).to.be.below(bound);
      }),
      { numRuns: RUNS },
    ));

  it('raises the bound for words of the query that no fact holds', async () => {
    await current().say({ tenantId: 'bound', value: text('lantern in the harbour') });
    const view = current().view({ tenantId: 'bound' });
    const boundOf = async (query: string) =>
      (await askStep(current().index, { find: 'words', query, limit: 9 }, view)).bound ?? 0;
    const bound = await boundOf('lantern');
    expect(await boundOf('lantern zymurgist')).to.be.above(2 * bound);
    expect(await boundOf('lantern lantern')).to.equal(bound);
    expect(await boundOf('')).to.equal(0);
  });

  it('lists the live facts of any view, newest first, scored by their confidence', () =>
    fc.assert(
      fc.asyncProperty(narrowings(current), fc.integer({ min: 0, max: 8 }), async (viewOf, limit) => {
        const view = viewOf();
        const live = (await current().live(view)).sort(newestFirst).slice(0, limit);
        const expected = live.map(({ id, confidence }) => ({ id, score: confidence }));
        expectHits(await findNewest(current().index, view, limit), expected);
      }),
      { numRuns: RUNS },
    ));

  it('finds the neighbours of seeds in their sessions, and how much of a query a fact covers with them', () =>
    fc.assert(
      fc.asyncProperty(queries, narrowings(current), fc.nat(), async (query, viewOf, from) => {
        const view = viewOf();
        const { index, facts } = current();
        const ids = [0, 7, 11, 29].map((step) => facts[(from + step) % facts.length]?.id as string);
        const seeds = [...ids, 'unknown'].map((id, n) => ({ id, score: 1 + n / 64 }));
        expectHits(await findBeside(index, seeds, view, 7), await current().besides(seeds, view, 7, NEIGHBOUR_WEIGHTS));
        expectHits(
          await findShares(index, query, ids, view),
          await current().together(query, ids, view, TOGETHER_WEIGHTS),
        );
      }),
      { numRuns: RUNS },
    ));

  it('orders equal scores by origin stamp, newest first', async () => {
    const drafts = Array.from({ length: 4 }, () => ({ tenantId: 'ties', value: text('lantern') }));
    const ids = await current().say(...drafts);
    const view = current().view({ tenantId: 'ties' });
    const hits = await findWords(current().index, 'lantern', view, 3);
    expect(hits.map(({ id }) => id)).to.deep.equal([...ids].reverse().slice(0, 3));
    expect(new Set(hits.map(({ score }) => score)).size).to.equal(1);
  });

  it('scores facts without regard to facts outside the view', async () => {
    const seen = { tenantId: 'seen', value: text('lantern and harbour'), sessionId: 'talk' };
    const ids = await current().say(seen, { ...seen, value: text('harbour') });
    const view = current().view({ tenantId: 'seen', scopes: ['company'], gardens: [] });
    const ask = async () => [
      await findWords(current().index, 'lantern harbour', view, 9),
      await findBeside(current().index, [{ id: ids[0] as string, score: 1 }], view, 9),
      await findShares(current().index, 'lantern harbour', ids, view),
    ];
    const before = await ask();
    await current().say({ ...seen, scope: 'team' }, { ...seen, gardenId: GARDEN_A }, { ...seen, tenantId: 'unseen' });
    expect(await ask()).to.deep.equal(before);
  });

  it('keeps the scores of other facts when a fact ends', async () => {
    const place = { tenantId: 'ends', entity: 'user:carol' };
    await current().say(
      { ...place, value: text('lantern') },
      { ...place, relation: 'memory:role', value: text('lantern') },
    );
    const view = current().view({ tenantId: 'ends' });
    const other = (await findWords(current().index, 'lantern', view, 9)).filter((_, at) => at === 0);
    await current().say({ ...place, value: text('lantern'), confidence: 0 });
    expect(await findWords(current().index, 'lantern', view, 9)).to.deep.equal(other);
  });
};
