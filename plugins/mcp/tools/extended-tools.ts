import type { RouteQuestion } from '../../../kernel/internal-api.ts';
import type { AskNode } from '../ask-node.ts';
import { contentText, countNoun, DATA_NOTICE, factView, row } from '../memory-data.ts';
import { ask, type JsonObject } from '../refused-question.ts';
import { defineTool, FLAG, limitTo, SCOPE, SHARE, TEXT, type ToolDefinition } from '../tool-definition.ts';
import { cardResult } from './read-tools.ts';
import { differentType, type SameSpelling, sameSpelling } from './same-spelling.ts';
import { ASSERTION, ASSERTION_REQUIRED, type AssertArguments, assertionOf } from './write-tools.ts';

/** Limit of the text form; the structured result holds the whole document. */
const MOST_TEXT = 20_000;

interface Reading<A> extends Pick<ToolDefinition, 'name' | 'description' | 'input' | 'required' | 'permission'> {
  readonly route: string;
  question(args: A, node: AskNode): Omit<RouteQuestion, 'route'>;
}

/** A tool that shows the document of a route unchanged. */
const reading = <A = JsonObject>({ route, question, ...described }: Reading<A>): ToolDefinition =>
  defineTool<A>({
    ...described,
    routes: [route],
    effect: 'nothing',
    output: { notice: TEXT, data: { type: 'object' } },
    async run(args, { node }) {
      return shown(await ask(node, { route, ...question(args, node) }));
    },
  });

const shown = (data: JsonObject) => {
  const text = JSON.stringify(data);
  const isLong = text.length > MOST_TEXT;
  const remark = isLong ? 'The beginning of the document; the structured result has all of it.' : 'The document.';
  return { structured: { notice: DATA_NOTICE, data }, text: contentText(remark, [text.slice(0, MOST_TEXT)]) };
};

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
      const stored = fact === undefined ? undefined : factView(fact as JsonObject);
      const isCompared = stored?.['contradicted'] === true && compared < MOST_COMPARED;
      if (isCompared) compared += 1;
      const same = isCompared ? await sameSpelling(stored, node) : [];
      verdicts.push({
        index,
        status,
        ...(stored !== undefined && { fact: stored }),
        ...(same.length > 0 && { same_spelling: same }),
        ...(error !== undefined && { error }),
      });
    }
    const lines = verdicts.map(({ index, status, fact, error, same_spelling: same }) =>
      row(index, status, problemIn(error) ?? storedAs(fact as JsonObject, same as readonly SameSpelling[] | undefined)),
    );
    return {
      structured: { notice: DATA_NOTICE, accepted, rejected, results: verdicts },
      text: contentText(`Stored ${countNoun(Number(accepted), 'fact')}, refused ${rejected}.`, lines),
    };
  },
});

/** The facts of a batch that are compared with their rivals, because each comparison is a request. */
const MOST_COMPARED = 20;

const problemIn = (error: unknown): unknown => (error as JsonObject | undefined)?.['detail'];

const storedAs = (fact: JsonObject, same: readonly SameSpelling[] = []): string =>
  [`stored as ${(fact['value'] as JsonObject)['type']}.`, ...same.map(differentType)].join(' ');

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
export const EXTENDED_TOOLS: readonly ToolDefinition[] = [
  batchTool,
  refreshTool,
  reading<{ readonly id: string }>({
    name: 'fact',
    description: 'One fact by id or content id, also a retracted or expired one.',
    permission: 'read',
    input: ID,
    required: ['id'],
    route: 'GET /v1/facts/:id',
    question: ({ id }) => ({ params: { id } }),
  }),
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
