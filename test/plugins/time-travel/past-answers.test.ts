import { expect } from 'chai';
import fc from 'fast-check';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { ENTITIES, HistoryNode, histories, peaceful, SCOPES_TOLD, type Told } from './told-histories.ts';

/** Questions at every moment, repeated as of it. */
const questions: readonly string[] = [
  ...['grey cats', 'boat harbour'].map((query) => `/v1/recall?token_budget=4000&query=${encodeURIComponent(query)}`),
  '/v1/recall?token_budget=4000&query=boat&include_contradicted=true&relation=memory:note',
  '/v1/recall?token_budget=4000&query=cats&include_contradicted=true&depth=2',
  '/v1/recall?token_budget=30&query=cats&scope=team&weights.lexical=0.5&weights.recency=0.5',
  '/v1/recall?token_budget=4000&query=cats&scope=garden:herbs',
  // A relation, because a card of the present stands in for the facts of an entity without one.
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

/** Members that are drawn for each reply, or bound to one question. */
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

/** Lets a history happen, and repeats the questions of every moment as of that moment. */
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

/** With contradictions less is recalled, so that more of what ranks the rest is seen without them. */
const stories = fc.oneof(histories, histories.map(peaceful));

forEachStore('recall, cards and neighbours as of an earlier moment', () => {
  it('are what the node gave then', async function () {
    this.timeout(600_000);
    await fc.assert(fc.asyncProperty(stories, expectSameAnswers), { numRuns: Math.ceil(RUNS / 25) });
  });
});
