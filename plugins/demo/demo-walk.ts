import {
  askServer,
  countNoun,
  factRows,
  queryOf,
  type ShownFact,
  shellQuote,
  valueLine,
} from '../../kernel/command-api.ts';
import { columnText } from '../../kernel/internal-api.ts';
import { conflictTable, type ShownConflict } from '../conflicts/conflicts-api.ts';
import type { DemoContext } from './demo-command.ts';
import { type DemoFact, FIRST_SAYING, LANTERN, SCOPE, SECOND_SAYING } from './demo-data.ts';
import { assertionOf, liveFacts, loadFacts, makeGarden, type StampedFact } from './demo-requests.ts';

const QUESTION = 'When does Lantern open, and who leads it?';
const { relation: RELATION } = FIRST_SAYING;
const NOTE = 'the inbox is newer than the minutes';

/** The state that one step passes to the next. */
interface Walk {
  readonly context: DemoContext;
  /** The stamp of the moment before the contradiction. */
  before: string;
}

/** Shows each step of the demonstration with its command and the node's actual reply. */
export const walkThrough = async (context: DemoContext): Promise<void> => {
  const walk: Walk = { context, before: '' };
  for (const step of [load, assertFirst, contradict, recallOpen, resolve, recallSettled, lookBack, tellHistory]) {
    await step(walk);
  }
};

const load = async ({ context }: Walk): Promise<void> => {
  say(context, 'A team and its project', 'Four sources say what they know. The garden keeps two facts for the board.');
  request(context, 'POST /v1/gardens, POST /v1/facts/batch');
  const withGarden = await makeGarden(context);
  const facts = await loadFacts(context, withGarden);
  const sources = new Set(facts.map(({ source }) => source));
  context.stdout.write(`Stored: ${countNoun(facts.length, 'fact')} of ${countNoun(sources.size, 'source')}.\n`);
  if (!withGarden) context.stdout.write('This node has no gardens: facts for the board are left out.\n');
  await pause(context);
};

const assertFirst = async (walk: Walk): Promise<void> => {
  const { context } = walk;
  say(context, 'Somebody says something', 'The minutes of a meeting say when Lantern opens.');
  const known = await liveFacts(context, LANTERN, RELATION);
  command(context, assertWords(FIRST_SAYING));
  const said = await assertOnce(context, known, FIRST_SAYING);
  showFacts(context, [said]);
  walk.before = said.hlc;
  await pause(context);
};

const contradict = async ({ context }: Walk): Promise<void> => {
  say(context, 'Somebody says otherwise', 'A message says another day. Both facts are kept, and nobody is overruled.');
  const known = await liveFacts(context, LANTERN, RELATION);
  command(context, assertWords(SECOND_SAYING));
  const said = await assertOnce(context, known, SECOND_SAYING);
  showFacts(context, [said]);
  const conflict = await openConflict(context);
  command(context, ['conflicts']);
  if (conflict === undefined) context.stdout.write('An earlier run has settled this contradiction.\n');
  else context.stdout.write(conflictTable(conflict, context.clock.nowMs(), context.table));
  await pause(context);
};

const recallOpen = (walk: Walk): Promise<void> =>
  recall(walk, 'Ask a question', 'Recall finds what matters, and leaves out what is contradicted, and says so.');

const recallSettled = (walk: Walk): Promise<void> =>
  recall(walk, 'Ask again', 'The day of the opening is no longer contradicted.');

const recall = async ({ context }: Walk, title: string, text: string): Promise<void> => {
  say(context, title, text);
  command(context, ['recall', QUESTION, '--scope', SCOPE, '--limit', '4']);
  const body = { query: QUESTION, scope: SCOPE, token_budget: 4_000, limit: 4 };
  const { document } = await askServer(context.server, { method: 'POST', path: '/v1/recall', body });
  showFacts(
    context,
    (document['facts'] as readonly { readonly fact: StampedFact }[]).map(({ fact }) => fact),
  );
  const { contradicted = 0 } = document['omitted'] as { readonly contradicted?: number };
  if (contradicted > 0) {
    context.stdout.write(`Left out: ${countNoun(contradicted, 'fact')} in an open contradiction.\n`);
  }
  await pause(context);
};

const resolve = async ({ context }: Walk): Promise<void> => {
  say(context, 'Settle it', 'Somebody decides. The answer is a fact too, which names what it was derived from.');
  const conflict = await openConflict(context);
  if (conflict === undefined) {
    context.stdout.write('An earlier run has settled it.\n');
  } else {
    const winner = [conflict.fact_a, conflict.fact_b].find(({ source }) => source === SECOND_SAYING.source);
    const id = (winner ?? conflict.fact_a).id;
    command(context, ['resolve', conflict.conflict_id, '--winner', id, '--note', NOTE]);
    const path = `/v1/conflicts/${encodeURIComponent(conflict.conflict_id)}/resolve`;
    const body = { winning_fact_id: id, resolution_note: NOTE };
    const { document } = await askServer(context.server, { method: 'POST', path, body });
    context.stdout.write(`Settled by the fact ${document['resolution_fact_id']}\n`);
  }
  command(context, ['query', '--entity', LANTERN, '--relation', RELATION]);
  showFacts(context, await query(context, {}));
  await pause(context);
};

const lookBack = async ({ context, before }: Walk): Promise<void> => {
  say(context, 'Look back', 'What did the node know before anybody contradicted?');
  command(context, ['query', '--entity', LANTERN, '--relation', RELATION, '--as-of', before]);
  showFacts(context, await query(context, { as_of: before }));
  await pause(context);
};

const tellHistory = async ({ context }: Walk): Promise<void> => {
  say(context, 'How it came to be', 'Nothing was overwritten: the history has every step.');
  command(context, ['history', LANTERN, '--relation', RELATION]);
  const path = `/v1/history/${encodeURIComponent(LANTERN)}?${queryOf({ relation: RELATION, limit: 50 })}`;
  const { document } = await askServer(context.server, { method: 'GET', path });
  const events = document['events'] as readonly { readonly event: string; readonly fact: ShownFact }[];
  const rows = events.map(({ event, fact }) => [event, valueLine(fact.value), columnText(fact.source)]);
  context.stdout.write(context.table([['what', 'value', 'source'], ...rows], { titled: true }));
};

const openConflict = async ({ server }: DemoContext): Promise<ShownConflict | undefined> => {
  const { document } = await askServer(server, { method: 'GET', path: '/v1/conflicts?limit=500' });
  return (document['conflicts'] as readonly ShownConflict[]).find(
    ({ fact_a }) => fact_a.entity === LANTERN && fact_a.relation === RELATION && fact_a.scope === SCOPE,
  );
};

/** Asserts a fact unless an earlier run did, because its contradiction may have been resolved since. */
const assertOnce = async (
  { server, clock, stdout }: DemoContext,
  known: readonly StampedFact[],
  fact: DemoFact,
): Promise<StampedFact> => {
  const found = known.find(({ source }) => source === fact.source);
  if (found !== undefined) {
    stdout.write('An earlier run has stored it:\n');
    return found;
  }
  const body = assertionOf(fact, clock);
  return (await askServer(server, { method: 'POST', path: '/v1/facts', body })).document as unknown as StampedFact;
};

const query = async (
  { server }: DemoContext,
  more: Readonly<Record<string, string>>,
): Promise<readonly ShownFact[]> => {
  const path = `/v1/facts?${queryOf({ entity: LANTERN, relation: RELATION, ...more })}`;
  return (await askServer(server, { method: 'GET', path })).document['facts'] as readonly ShownFact[];
};

const assertWords = ({ entity, relation, value, source, confidence }: DemoFact): readonly string[] => [
  'assert',
  entity,
  relation,
  String(value.v),
  '--source',
  source,
  '--scope',
  SCOPE,
  ...(confidence === undefined ? [] : ['--confidence', String(confidence)]),
];

const say = ({ stdout }: DemoContext, title: string, text: string): void => {
  stdout.write(`\n${title}\n${'-'.repeat(title.length)}\n${text}\n`);
};

const command = ({ stdout, asTyped }: DemoContext, words: readonly string[]): void => {
  const spelled = words.map((word) => (/^[\w:./@-]+$/.test(word) ? word : shellQuote(word)));
  stdout.write(asTyped(`\n$ fact-memory-node ${spelled.join(' ')}\n`));
};

const request = ({ stdout }: DemoContext, text: string): void => {
  stdout.write(`\n> ${text}\n`);
};

const showFacts = ({ stdout, table, clock }: DemoContext, facts: readonly ShownFact[]): void => {
  const nowMs = clock.nowMs();
  stdout.write(table(facts.flatMap((fact) => factRows(fact, { nowMs }))));
};

const pause = async ({ ask, options }: DemoContext): Promise<void> => {
  if (ask !== undefined && !options.noPause) await ask('\nEnter goes on: ');
};
