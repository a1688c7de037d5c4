import { expect } from 'chai';
import fc from 'fast-check';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { ENTITIES, HistoryNode, histories, peaceful, SCOPES_TOLD, type Told } from './told-histories.ts';

/** Requests that are sent at every moment, and repeated later as of that moment. */
const questions: readonly string[] = [
  ...['grey cats', 'boat harbour'].map((query) => `/v1/recall?token_budget=4000&query=${encodeURIComponent(query)}`),
  '/v1/recall?token_budget=4000&query=boat&include_contradicted=true&relation=memory:note',
  '/v1/recall?token_budget=4000&query=cats&include_contradicted=true&depth=2',
  '/v1/recall?token_budget=30&query=cats&scope=team&weights.lexical=0.5&weights.recency=0.5',
  '/v1/recall?token_budget=4000&query=cats&scope=garden:herbs',
  // By relation, because in the present a card replaces the facts of an entity without a relation.
  ...ENTITIES.flatMap((entity) =>
    ['rel:knows', 'memory:role', 'memory:note-keeps-bees'].map(
      (relation) => `/v1/recall?token_budget=4000&entity=${entity}&relation=${relation}&depth=2`,
    ),
  ),
  ...ENTITIES.flatMap((entity) =>
    SCOPES_TOLD.map((scope) => `/v1/cards/${encodeURIComponent(entity)}?scope=${scope}&refresh=true`),
  ),
  ...ENTITIES.map((entity) => `/v1/graph/neighbors?entity=${entity}&depth=2`),
  `/v1/graph/neighbors?entity=${ENTITIES[0]}&entity=${ENTITIES[1]}&scope=company&limit=1`,
];

type Body = Readonly<Record<string, unknown>>;

/** Removes members that are random, or specific to one request. */
const withoutNames = (body: Body): Body => {
  const { recall_id, next_cursor, ...rest } = body;
  return { ...rest, follows: next_cursor !== null && next_cursor !== undefined };
};

const answersOf = async (told: HistoryNode, asOf?: string): Promise<ReadonlyMap<string, unknown>> => {
  const answers = new Map<string, unknown>();
  for (const [name, key] of [
    ['member', told.member],
    ['stranger', told.stranger],
  ] as const) {
    for (const question of questions) {
      const { status, body } = await told.get(question, key, asOf);
      const said = status === 200 ? withoutNames(body) : { code: body.code, detail: body.detail };
      answers.set(`${name} ${question}`, { status, said });
    }
  }
  return answers;
};

/** Performs a history, and repeats the requests of every moment as of that moment. */
const expectSameAnswers = async (history: readonly Told[]): Promise<void> => {
  const told = await HistoryNode.start();
  try {
    const moments: { readonly at: string; readonly given: ReadonlyMap<string, unknown> }[] = [];
    for (const step of history) {
      await told.tell(step);
      moments.push({ at: told.now(), given: await answersOf(told) });
      await told.node.clock.advance(1);
    }
    for (const { at, given } of moments) {
      for (const [question, answer] of await answersOf(told, at)) {
        expect(answer, `${question} as of ${at}`).to.deep.equal(given.get(question));
      }
    }
  } finally {
    await told.stop();
  }
};

/** Contradictions shorten a recall, so some histories have none and show more of the ranking. */
const stories = fc.oneof(histories, histories.map(peaceful));

forEachStore('recall, cards and neighbours as of an earlier moment', () => {
  it('equal the answers that the node gave at that moment', async function () {
    this.timeout(600_000);
    // Without shrinking, which would outlast the limit and so hide the counterexample.
    const parameters = { numRuns: Math.ceil(RUNS / 25), endOnFailure: true };
    await fc.assert(fc.asyncProperty(stories, expectSameAnswers), parameters);
  });
});
