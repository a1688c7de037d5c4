import { expect } from 'chai';
import { askFeedback, askSpread, findNear } from './ask-index.ts';
import { vectorOf } from './pointing-vectors.ts';
import { NARROWINGS } from './sample-corpus.ts';
import { type CurrentNode, GARDEN_A, type SearchNode, text, textAt } from './search-node.ts';

/** Facts of lower confidence need not have a vector. */
const LEAST_CONFIDENCE = 0.1;
/** An index may store vectors with less precision than it gets them. */
const PRECISION = 0.02;
const QUERY = vectorOf(9, 1, 1, 1);

/** The contract of vectors. */
export const describeVectors = (current: CurrentNode): void => {
  it('names the embedder of its vectors', async () => {
    expect(await current().index.embedders()).to.deep.equal(['pointing']);
    expect(await current().index.isMakingVectors()).to.equal(false);
  });

  for (const [member, ways] of Object.entries({ nothing: [{}], ...NARROWINGS })) {
    it(`applies a filter on ${member} before the limit, and finds the nearest facts of the view`, async () => {
      for (const way of ways) {
        const view = current().view({ minConfidence: LEAST_CONFIDENCE, ...way });
        const hits = await findNear(current().index, QUERY, -1, view, 1_000);
        const live = await current().live(view);
        expect(hits.map(({ id }) => id)).to.have.members(live.map(({ id }) => id));
        for (const [at, { id, score }] of hits.entries()) {
          expect(score).to.be.closeTo(similarityOf(current(), id), PRECISION);
          expect(score).to.be.at.most(hits[at - 1]?.score ?? 2);
        }
        expect(await findNear(current().index, QUERY, -1, view, 3)).to.deep.equal(hits.slice(0, 3));
        const floor = 0.7;
        const above = hits.filter(({ score }) => score >= floor);
        expect(await findNear(current().index, QUERY, floor, view, 1_000)).to.deep.equal(above);
      }
    });
  }

  it('returns the distribution of a view, and the similarities of named facts in it', async () => {
    const view = current().view({ minConfidence: LEAST_CONFIDENCE, gardens: [] });
    const live = await current().live(view);
    const hidden = current().facts.find(({ gardenId }) => gardenId === GARDEN_A)?.id as string;
    const ids = live.slice(0, 4).map(({ id }) => id);
    const { hits, spread } = await askSpread(current().index, QUERY, [...ids, hidden, 'unknown'], view);
    expect(hits.map(({ id }) => id)).to.have.members(ids);
    for (const { id, score } of hits) expect(score).to.be.closeTo(similarityOf(current(), id), PRECISION);
    const all = live.map(({ id }) => similarityOf(current(), id));
    const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
    const variance = all.reduce((sum, one) => sum + (one - mean) ** 2, 0) / all.length;
    expect(spread?.count).to.equal(all.length);
    expect(spread?.mean).to.be.closeTo(mean, PRECISION);
    expect(spread?.deviation).to.be.closeTo(Math.sqrt(variance), PRECISION);
  });

  it('returns an empty distribution for a view without facts, and finds nothing by a vector of another embedder', async () => {
    const none = await askSpread(current().index, QUERY, [], current().view({ scopes: [] }));
    expect(none).to.deep.equal({ hits: [], spread: { count: 0, mean: 0, deviation: 0 } });
    const step = { find: 'near', vector: QUERY, embedder: 'other', floor: -1, limit: 9 } as const;
    expect(await current().index.ask([step], current().view())).to.deep.equal([{ hits: [] }]);
  });

  describe('with feedback from found texts', () => {
    const TENANT = { tenantId: 'moved' };
    const said = (...components: number[]) => ({ ...TENANT, value: text(textAt(...components)) });
    let texts: readonly string[];
    let alike: string;
    let unlike: string;
    before(async () => {
      texts = await current().say(said(4, 9), said(4, 8, 1), said(5, 8, 0, 1));
      [alike, unlike] = (await current().say(said(2, 9), said(2, 0, 0, 0, 9))) as [string, string];
      await current().embed([...texts, alike, unlike], current().view(TENANT));
    });
    const feedback = (from: readonly string[], view = {}) =>
      askFeedback(
        current().index,
        vectorOf(1),
        from,
        { ids: [...texts, alike, unlike] },
        current().view({ ...TENANT, ...view }),
      );

    it('raise the similarity only of facts like those texts', async () => {
      const { hits, before, spread } = await feedback(texts);
      const of = (id: string) => {
        const at = hits.findIndex((hit) => hit.id === id);
        return { before: before?.[at] as number, after: hits[at]?.score as number };
      };
      expect(of(alike).before).to.be.closeTo(of(unlike).before, PRECISION);
      expect(of(alike).after).to.be.above(0.6);
      expect(of(unlike).after).to.be.below(0.3);
      for (const id of texts) expect(of(id).after).to.be.above(0.8);
      expect(spread?.count).to.equal(5);
    });

    it('find nothing for one text, a text outside the view, or texts with neighbours in their session', async () => {
      expect(await feedback(texts.slice(0, 1))).to.deep.equal({ hits: [] });
      expect(await feedback([...texts, 'unknown'])).to.deep.equal({ hits: [] });
      expect(await feedback(texts, { scopes: ['team'] })).to.deep.equal({ hits: [] });
      expect((await feedback(texts.slice(0, 2))).hits).to.have.length(5);
      const talk = { ...TENANT, sessionId: 'talk', relation: 'memory:talk' };
      const beside = await current().say({ ...talk, ...said(4, 9) }, { ...talk, ...said(4, 8) });
      await current().embed(beside, current().view(TENANT));
      expect(await feedback(beside)).to.deep.equal({ hits: [] });
    });
  });
};

const similarityOf = (node: SearchNode, id: string): number => {
  const value = String(node.facts.find((fact) => fact.id === id)?.value.v);
  const components = /towards ([0-9x]+)x/.exec(value)?.[1]?.split('x').map(Number) ?? [];
  return vectorOf(...components).reduce((sum, component, at) => sum + component * (QUERY[at] as number), 0);
};
