import {
  askServer,
  type CommandContext,
  countNoun,
  defineCommand,
  factRows,
  jsonLine,
  readShare,
  type ServerReply,
  type ShownFact,
  shortText,
  wordOrInput,
} from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { MAX_LIMIT } from './recall-request.ts';
import { WEIGHT_SPELLINGS } from './stage-weights.ts';

const MAX_BUDGET = 200_000;
const USUAL_BUDGET = 4_000;

const ARGUMENTS = { question: { summary: 'what to ask, or - for standard input', optional: true } } as const;

const OPTIONS = {
  budget: {
    type: 'integer',
    value: 'number',
    unit: 'tokens',
    minimum: 1,
    maximum: MAX_BUDGET,
    default: USUAL_BUDGET,
    summary: 'tokens that the facts may take',
  },
  scope: { type: 'text', value: 'word', summary: 'a scope, or garden:<slug>; all that the key may read unless given' },
  entity: { type: 'text', value: 'uri', summary: 'recall about this entity; the question may be left out' },
  relation: { type: 'text', value: 'name', summary: 'facts with this relation alone' },
  after: { type: 'text', value: 'instant', summary: 'only what is later than this instant' },
  before: { type: 'text', value: 'instant', summary: 'only what is earlier than this instant' },
  entities: { type: 'words', value: 'list', summary: 'facts about one of these; a star ends a beginning: user:*' },
  relations: { type: 'words', value: 'list', summary: 'facts with one of these relations, or beginnings' },
  sources: { type: 'words', value: 'list', summary: 'facts of one of these sources, or beginnings' },
  sessions: { type: 'words', value: 'list', summary: 'facts of one of your sessions, or beginnings of their names' },
  asOf: { type: 'text', value: 'instant', summary: 'what would have been recalled at that moment' },
  minConfidence: { type: 'text', value: 'number', summary: 'leave out facts below this confidence, from 0 to 1' },
  depth: { type: 'integer', value: 'steps', minimum: 0, maximum: 2, summary: 'steps between entities to follow' },
  weights: {
    type: 'words',
    value: 'list',
    summary: 'what counts how much, such as lexical=0.5,vector=0.5; they add up to 1',
  },
  includeContradicted: { type: 'flag', summary: 'also facts of an open contradiction' },
  limit: { type: 'integer', value: 'number', minimum: 1, maximum: MAX_LIMIT, summary: 'most facts to recall' },
  ignoreTime: { type: 'flag', summary: 'do not lift facts of a time that the question names' },
  explain: { type: 'flag', summary: 'also how each fact came into the answer' },
  whyNot: { type: 'words', value: 'ids', summary: 'facts, by their ids, and at which step each of them fell out' },
  fields: {
    type: 'text',
    value: 'list',
    summary: 'with --json, the members of each fact, such as id,value, or compact for the usual ones',
  },
  json: { type: 'flag', summary: 'the reply of the node as JSON' },
} as const;

/** The `legacy_format` omits `content` and `instructions`, two lists that would repeat the facts. */
const EACH_ONCE = '/v1/recall?legacy_format=true';

type Context = CommandContext<typeof ARGUMENTS, typeof OPTIONS, 'server', Record<never, never>, undefined>;

interface Recalled {
  readonly fact: ShownFact;
  readonly score: number;
  readonly from_card?: boolean;
  readonly also?: number;
  readonly why?: {
    readonly found_by: Readonly<Record<string, { readonly rank: number }>>;
    readonly rank: number;
    readonly packed: number;
  };
}

interface FellOut {
  readonly id: string;
  readonly stage: string;
  readonly by?: string;
  readonly rank?: number;
}

export const recallCommand = defineCommand({
  name: 'recall',
  topic: 'daily',
  summary: 'find the facts that matter for a question',
  description:
    'Shows the facts that matter most for a question, best first, within a budget of tokens, and says what was left ' +
    'out and why. What a fact says is what its source said; the node does not judge it.',
  notes: `Weights: ${Object.keys(WEIGHT_SPELLINGS).join(', ')}. Once one is given, the others are 0.`,
  examples: [
    'fact-memory-node recall "Who is Alice?"',
    'fact-memory-node recall "What changed?" --scope company --budget 500 --json',
    'fact-memory-node recall --entity user:alice --as-of 2026-03-02T09:00:00Z',
  ],
  needs: 'server',
  arguments: ARGUMENTS,
  options: OPTIONS,
  async run(context) {
    const { options, server, stdout, stderr } = context;
    const { document } = await askServer(server, { method: 'POST', path: EACH_ONCE, body: await bodyOf(context) });
    if (options.json) {
      stdout.write(jsonLine(document));
      return;
    }
    const recalled = (document['facts'] ?? []) as readonly Recalled[];
    if (recalled.length === 0) stderr.write(leftOut(document).length === 0 ? NOTHING_FITS : NOTHING_STAYS);
    stdout.write(listOf(recalled, context));
    stderr.write(remarks(document));
  },
});

const NOTHING_FITS = 'No fact that you may see fits.\n';
const NOTHING_STAYS = 'Every fact that fits was left out.\n';

const bodyOf = async ({ arguments: { question }, options, stdin }: Context): Promise<object> => {
  const query = question === undefined ? undefined : await wordOrInput(question, stdin);
  if (query === undefined && options.entity === undefined) {
    throw new ServiceError('validation', 'there is nothing to ask', {
      hint: 'give a question in quotes, or name an entity with --entity',
    });
  }
  return {
    query,
    entity: options.entity,
    relation: options.relation,
    after: options.after,
    before: options.before,
    entities: options.entities,
    relations: options.relations,
    sources: options.sources,
    sessions: options.sessions,
    scope: options.scope,
    token_budget: options.budget,
    as_of: options.asOf,
    min_confidence: readShare('--min-confidence', options.minConfidence),
    depth: options.depth,
    weights: options.weights === undefined ? undefined : readWeightWords(options.weights),
    include_contradicted: options.includeContradicted,
    limit: options.limit,
    time: options.ignoreTime ? 'ignore' : undefined,
    explain: options.explain,
    why_not: options.whyNot,
    // Without `fields`, the node applies the budget to the lines shown here instead of to its reply.
    fields: options.json ? options.fields : undefined,
  };
};

/** Parses `lexical=0.5` and the like; the node checks the names and sums. */
const readWeightWords = (words: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    words.map((word) => {
      const [name = '', text = '', ...more] = word.split('=');
      const weight = readShare('each weight of --weights', text === '' ? 'none' : text) ?? 0;
      if (more.length === 0 && Object.hasOwn(WEIGHT_SPELLINGS, name)) return [name, weight];
      throw new ServiceError('validation', '--weights must be a list such as lexical=0.5,vector=0.5', {
        hint: `names are ${Object.keys(WEIGHT_SPELLINGS).join(', ')}`,
      });
    }),
  );

const listOf = (recalled: readonly Recalled[], { clock, table }: Context): string => {
  const nowMs = clock.nowMs();
  return table(
    recalled.flatMap(({ fact, score, from_card, also, why }, at) => {
      const more = [
        `score ${score.toFixed(2)}`,
        ...(from_card === true ? ['a card, which sums facts up'] : []),
        ...(also === undefined ? [] : [`the same in ${countNoun(also, 'further fact')}`]),
        ...(why === undefined ? [] : [wayOf(why)]),
      ];
      return factRows(fact, { lead: `${at + 1}.`, nowMs, more });
    }),
  );
};

/** Spells `place 3 of all, packed 2nd, words 1, vectors 4`. */
const wayOf = ({ found_by, rank, packed }: NonNullable<Recalled['why']>): string =>
  [
    `place ${rank} of all`,
    `packed as number ${packed}`,
    ...Object.entries(found_by).map(([stage, place]) => `${STAGES[stage] ?? shortText(stage)} ${place.rank}`),
  ].join(', ');

const STAGES: Readonly<Record<string, string>> = { lexical: 'words', semantic: 'vectors', graph: 'neighbours' };

const fellOutLine = ({ id, stage, by, rank }: FellOut): string => {
  const said = (STEPS[stage] ?? shortText(stage)).replace('{by}', () => (by === undefined ? 'another' : shortText(by)));
  return `${shortText(id)}: ${said}${rank === undefined ? '' : `, place ${rank} of all`}\n`;
};

/** The meaning of each `stage` of `why_not`. */
const STEPS: Readonly<Record<string, string>> = {
  unknown: 'there is no such fact that you may see',
  not_live: 'it is not live',
  filtered: 'the request leaves it out by {by}',
  contradicted: 'it is in an open contradiction',
  card: 'a card sums it up',
  not_found: 'no stage finds it',
  depth: 'other facts come before it in every stage',
  repeated: 'it says the same as {by}',
  variety: 'it says too little beside {by}',
  budget: 'it does not fit into the budget',
  limit: 'the limit is reached before it',
  changed: 'its row was changed outside the node',
  returned: 'it is in the answer',
};

const REASONS: Readonly<Record<string, string>> = {
  contradicted: 'in an open contradiction (--include-contradicted shows them)',
  budget: 'for the budget (--budget)',
  repeated: 'with the same words as another (--json names them)',
};

const leftOut = (document: ServerReply['document']): [string, number][] =>
  Object.entries((document['omitted'] ?? {}) as Readonly<Record<string, number>>).filter(([, count]) => count > 0);

/** Lists the facts left out, the cost, and the reasons for an incomplete answer. */
const remarks = (document: ServerReply['document']): string => {
  const omitted = leftOut(document).map(([why, count]) => `${count} ${REASONS[why] ?? shortText(why)}`);
  const degraded = (document['degraded'] ?? []) as readonly string[];
  const fellOut = (document['why_not'] ?? []) as readonly FellOut[];
  return [
    `${document['tokens_used']} of ${countNoun(Number(document['token_budget']), 'token')}\n`,
    ...(omitted.length === 0 ? [] : [`Left out: ${omitted.join(', ')}.\n`]),
    ...(degraded.length === 0
      ? []
      : [`Not everything could be asked: ${degraded.map((one) => shortText(one)).join(', ')}.\n`]),
    ...fellOut.map(fellOutLine),
  ].join('');
};
