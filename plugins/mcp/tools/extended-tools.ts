import type { RouteQuestion } from '../../../kernel/internal-api.ts';
import type { AskNode } from '../ask-node.ts';
import { cutView } from '../cut-values.ts';
import { contentText, countNoun, DATA_NOTICE, factView, row } from '../memory-data.ts';
import { ask, type JsonObject } from '../refused-question.ts';
import {
  defineTool,
  FLAG,
  limitTo,
  SCOPE,
  SHARE,
  TEXT,
  type ToolDefinition,
  type ToolResult,
} from '../tool-definition.ts';
import { countWithin, documentWithin, isWithin, LIST_TOKENS } from './bounded-results.ts';
import { contradictedIds } from './contradicted-fact.ts';
import { cardResult } from './read-tools.ts';
import { differentType, rivalsOf, type SameSpelling, sameSpelling } from './same-spelling.ts';
import { ASSERTION, ASSERTION_REQUIRED, type AssertArguments, assertionOf } from './write-tools.ts';

interface Reading<A> extends Pick<ToolDefinition, 'name' | 'description' | 'input' | 'required' | 'permission'> {
  readonly route: string;
  question(args: A, node: AskNode): Omit<RouteQuestion, 'route'>;
}

/** A tool that shows the document of a route, within the budget of a list. */
const reading = <A = JsonObject>({ route, question, ...described }: Reading<A>): ToolDefinition =>
  defineTool<A>({
    ...described,
    routes: [route],
    effect: 'nothing',
    output: { notice: TEXT, data: { type: 'object' } },
    async run(args, { node }) {
      let asked = args;
      let document = await ask(node, { route, ...question(asked, node) });
      // Requests fewer rows, so that the cursor of the page continues after them.
      while (Object.hasOwn(described.input, 'limit') && !isWithin(shown(document), LIST_TOKENS)) {
        const limit = Math.floor(Number((asked as JsonObject)['limit'] ?? 1) / 2);
        if (limit < 1) break;
        asked = { ...asked, limit };
        document = await ask(node, { route, ...question(asked, node) });
      }
      return shown(documentWithin(document, LIST_TOKENS, shown));
    },
  });

const shown = (data: JsonObject): ToolResult => ({
  structured: { notice: DATA_NOTICE, data },
  text: contentText('left_out' in data ? 'The document, without what is left out.' : 'The document.', [
    JSON.stringify(data),
  ]),
});

const asQuery = (args: JsonObject): Omit<RouteQuestion, 'route'> => ({
  query: args as Readonly<Record<string, string>>,
});

const ID = { id: TEXT } as const;
const PAGE = { limit: limitTo(500, 50), cursor: TEXT } as const;

const batchTool = defineTool<{ readonly facts: readonly AssertArguments[] }>({
  name: 'assert_many',
  description: 'Store many facts in one transaction, each with its own verdict.',
  permission: 'write',
  routes: ['POST /v1/facts/batch'],
  effect: 'adds',
  input: {
    facts: {
      type: 'array',
      minItems: 1,
      maxItems: 1_000,
      items: { type: 'object', properties: ASSERTION, required: ASSERTION_REQUIRED },
    },
  },
  required: ['facts'],
  output: {
    notice: TEXT,
    accepted: { type: 'integer' },
    rejected: { type: 'integer' },
    results: { type: 'array', items: { type: 'object' } },
  },
  async run({ facts }, { node, idempotencyKey }) {
    const { accepted, rejected, results } = await ask(node, {
      route: 'POST /v1/facts/batch',
      body: facts.map((fact, at) => assertionOf(fact, node, `facts[${at}].`)),
      ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
    });
    const verdicts: JsonObject[] = [];
    let compared = 0;
    for (const { index, status, fact, error } of results as readonly JsonObject[]) {
      const stored = fact === undefined ? undefined : factView(fact as JsonObject, node.nowMs());
      const isCompared = stored?.['contradicted'] === true && compared < MOST_COMPARED;
      if (isCompared) compared += 1;
      const same = isCompared ? sameSpelling(stored, await rivalsOf(stored, node)) : [];
      const contradicts = fact === undefined ? [] : contradictedIds(fact as JsonObject);
      verdicts.push({
        index,
        status,
        ...(stored !== undefined && { fact: cutView(stored) }),
        ...(contradicts.length > 0 && { contradicts }),
        ...(same.length > 0 && { same_spelling: same }),
        ...(error !== undefined && { error }),
      });
    }
    const counts = `Stored ${countNoun(Number(accepted), 'fact')}, refused ${rejected}`;
    const build = (some: readonly JsonObject[]): ToolResult => ({
      structured: { notice: DATA_NOTICE, accepted, rejected, results: some },
      text: contentText(
        some.length < verdicts.length
          ? `${counts}; left out: ${countNoun(verdicts.length - some.length, 'verdict')}.`
          : `${counts}.`,
        some.map(verdictLine),
      ),
    });
    const whole = build(verdicts);
    if (isWithin(whole, LIST_TOKENS)) return whole;
    // Lists refusals first, because the end of the list may be cut.
    const short = verdicts.map(shortVerdict).sort((a, b) => Number(b['status']) - Number(a['status']));
    return build(short.slice(0, countWithin(short, LIST_TOKENS, build)));
  },
});

const verdictLine = ({ index, status, fact, error, same_spelling: same }: JsonObject): string =>
  row(index, status, problemIn(error) ?? storedAs((fact ?? {}) as JsonObject, same as readonly SameSpelling[]));

const shortVerdict = ({ fact, ...verdict }: JsonObject): JsonObject =>
  fact === undefined ? verdict : { ...verdict, fact: { id: (fact as JsonObject)['id'] } };

/** The maximum number of facts of a batch that are compared with their rivals, because each comparison is a request. */
const MOST_COMPARED = 20;

const problemIn = (error: unknown): unknown => (error as JsonObject | undefined)?.['detail'];

const storedAs = ({ id, value }: JsonObject, same: readonly SameSpelling[] = []): string => {
  const type = (value as JsonObject | undefined)?.['type'];
  return [type === undefined ? `stored: ${id}` : `stored as ${type}: ${id}`, ...same.map(differentType)].join('. ');
};

const refreshTool = defineTool<{ readonly entity: string; readonly scope?: string }>({
  name: 'refresh_card',
  description: 'Make the card of an entity anew and show it.',
  permission: 'read',
  routes: ['GET /v1/cards/*entity_uri'],
  effect: 'nothing',
  input: { entity: TEXT, scope: SCOPE },
  required: ['entity'],
  output: { notice: TEXT, card: { type: 'object' } },
  async run({ entity, scope }, { node }) {
    const question = { params: { entity_uri: entity }, query: { scope, refresh: true } };
    return cardResult(await ask(node, { route: 'GET /v1/cards/*entity_uri', ...question }));
  },
});

/** Tools that agents need rarely. They cost a model twice as many words as the core tools. */
const holdManyTool = defineTool<{ readonly relation: string }>({
  name: 'hold_many',
  description: 'Let a relation hold many values, which then do not contradict. Only as the user asks.',
  permission: 'admin',
  routes: ['PUT /v1/relations'],
  effect: 'adds',
  input: { relation: { ...TEXT, description: 'Or a prefix with *' } },
  required: ['relation'],
  output: { pattern: TEXT, values: TEXT },
  async run({ relation }, { node }) {
    const body = { pattern: relation, values: 'many' };
    const { pattern, values } = await ask(node, { route: 'PUT /v1/relations', body });
    return { structured: { notice: DATA_NOTICE, pattern, values }, text: contentText('It holds many values.', []) };
  },
});

export const EXTENDED_TOOLS: readonly ToolDefinition[] = [
  batchTool,
  refreshTool,
  reading<{ readonly id: string; readonly depth?: number }>({
    name: 'provenance',
    description: 'What a fact was derived from, as a graph.',
    permission: 'read',
    input: { ...ID, depth: { type: 'integer', minimum: 1, maximum: 64 } },
    required: ['id'],
    route: 'GET /v1/facts/:id/provenance',
    question: ({ id, depth }) => ({ params: { id }, query: { depth } }),
  }),
  reading<{ readonly entity: string }>({
    name: 'history',
    description: 'How the facts about an entity came to be and ended, oldest first, in pages.',
    permission: 'read',
    input: { entity: TEXT, relation: TEXT, scope: SCOPE, ...PAGE },
    required: ['entity'],
    route: 'GET /v1/history/*entity_uri',
    question: ({ entity, ...query }) => ({ params: { entity_uri: entity }, ...asQuery(query) }),
  }),
  reading({
    name: 'synthesis',
    description: 'The strongest facts of a scope or entity with what says otherwise. A long one comes as a job.',
    permission: 'read',
    input: { scope: SCOPE, entity: TEXT, min_confidence: SHARE, include_expired: FLAG, limit: limitTo(500, 50) },
    required: ['scope'],
    route: 'GET /v1/synthesis',
    question: asQuery,
  }),
  reading({
    name: 'lint',
    description: 'What is contradictory, out of date or unconnected among the facts. A long one comes as a job.',
    permission: 'read',
    input: { scope: { ...TEXT, enum: [...SCOPE.enum, 'all'], default: 'all' }, entity: TEXT, relation: TEXT },
    route: 'POST /v1/lint',
    question: (body) => ({ body: { scope: 'all', ...body } }),
  }),
  reading({
    name: 'relations',
    description: 'Rules about how many values a relation holds.',
    permission: 'read',
    input: {},
    route: 'GET /v1/relations',
    question: () => ({}),
  }),
  holdManyTool,
  reading({
    name: 'gardens',
    description: 'Gardens that you are a member of: shared partitions with members and roles.',
    permission: 'read',
    input: {},
    route: 'GET /v1/gardens',
    question: () => ({}),
  }),
  reading<{ readonly garden: string }>({
    name: 'garden_members',
    description: 'Members of a garden and their roles.',
    permission: 'any',
    input: { garden: { ...TEXT, description: 'URI, UUID or slug' } },
    required: ['garden'],
    route: 'GET /v1/gardens/*garden/members',
    question: (args) => ({ params: args }),
  }),
  reading<{ readonly agent: string; readonly intent: string }>({
    name: 'instructions',
    description: 'Instructions from the manifest of an agent for what it is about to do.',
    permission: 'read',
    input: { agent: TEXT, intent: TEXT, token_budget: { type: 'integer', minimum: 1 } },
    required: ['agent', 'intent'],
    route: 'POST /v1/agents/:agent_id/recall-instruction',
    question: ({ agent, ...body }) => ({ params: { agent_id: agent }, body }),
  }),
  reading({
    name: 'subscriptions',
    description: 'Your subscriptions to changes.',
    permission: 'read',
    input: {},
    route: 'GET /v1/subscriptions',
    question: () => ({}),
  }),
  reading({
    name: 'jobs',
    description: 'Your long jobs, newest first, in pages.',
    permission: 'read',
    input: { type: TEXT, status: TEXT, limit: limitTo(100, 20), cursor: TEXT },
    route: 'GET /v1/jobs',
    question: asQuery,
  }),
  reading<{ readonly id: string }>({
    name: 'job',
    description: 'How far a job is, and its result.',
    permission: 'read',
    input: ID,
    required: ['id'],
    route: 'GET /v1/jobs/:id',
    question: ({ id }) => ({ params: { id } }),
  }),
  reading({
    name: 'me',
    description: 'Who you are here: entity, permissions, scopes.',
    permission: 'any',
    input: {},
    route: 'GET /v1/me',
    question: () => ({}),
  }),
];
