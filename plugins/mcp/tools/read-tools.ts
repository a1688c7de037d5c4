import { cutMark, cutView, SHOWN_CHARACTERS } from '../cut-values.ts';
import {
  contentText,
  countNoun,
  DATA_NOTICE,
  factLine,
  factsIn,
  factsText,
  factView,
  row,
  VIEW_FIELDS,
} from '../memory-data.ts';
import { ask, type JsonObject } from '../refused-question.ts';
import {
  CURSOR,
  defineTool,
  FLAG,
  limitTo,
  OBJECTS,
  SCOPE,
  SHARE,
  TEXT,
  TEXTS,
  type ToolResult,
} from '../tool-definition.ts';
import { boundedPage, countWithin, documentWithin, isWithin, LIST_TOKENS, tokenBudget } from './bounded-results.ts';

const RECALL_BUDGET = 2_000;

interface RecallArguments extends JsonObject {
  readonly token_budget?: number;
}

export const recallTool = defineTool<RecallArguments>({
  name: 'recall',
  description:
    'Find what matters for a question or an entity, best first, within a token budget. Use it before you answer or decide.',
  permission: 'read',
  routes: ['POST /v1/recall'],
  effect: 'nothing',
  input: {
    query: { ...TEXT, description: 'Question; this or entity is needed' },
    entity: TEXT,
    relation: TEXT,
    after: TEXT,
    before: TEXT,
    scope: { ...TEXT, description: 'A scope or garden:<slug>; default all' },
    token_budget: tokenBudget(RECALL_BUDGET),
    min_confidence: SHARE,
    include_contradicted: FLAG,
  },
  output: { facts: OBJECTS, omitted: { type: 'object' }, degraded: TEXTS },
  async run({ token_budget: budget = RECALL_BUDGET, ...args }, { node }) {
    const body = await ask(node, {
      route: 'POST /v1/recall',
      // A long value may take at most a quarter of the budget.
      body: { ...args, token_budget: budget, max_value_bytes: Math.min(SHOWN_CHARACTERS, budget), fields: VIEW_FIELDS },
    });
    const facts = (body['facts'] as readonly RecalledPart[]).map((part) => recalledView(part, node.nowMs()));
    const build = (shown: readonly JsonObject[]): ToolResult => recallResult(shown, facts.length - shown.length, body);
    const result = build(facts.slice(0, countWithin(facts, budget, build)));
    return isWithin(result, budget) ? result : { ...result, text: countNoun(0, 'fact') };
  },
});

interface RecalledPart {
  readonly fact: JsonObject;
  readonly score: number;
  readonly value_length?: number;
  readonly also?: number;
  readonly also_ids?: readonly string[];
}

const recalledView = (
  { fact, score, value_length: length, also, also_ids }: RecalledPart,
  nowMs: number,
): JsonObject => {
  const view = factView(fact, nowMs);
  const { v } = view['value'] as { readonly v?: unknown };
  return {
    ...view,
    ...(length !== undefined && { value_cut: cutMark(String(v).length, length) }),
    ...(also !== undefined && { also, also_ids }),
    score: Math.round(score * 1_000) / 1_000,
  };
};

/**
 * Builds the result of a recall. `unfit` is the number of facts that the node returned and that did not fit into the
 * reply.
 */
const recallResult = (facts: readonly JsonObject[], unfit: number, { omitted, degraded }: JsonObject): ToolResult => {
  const counts = omitted as Readonly<Record<string, number>>;
  const left: Readonly<Record<string, number>> = { ...counts, budget: (counts['budget'] ?? 0) + unfit };
  const parts = Object.entries(left).flatMap(([reason, count]) => (count === 0 ? [] : leftOut(reason, count)));
  const late = (degraded as readonly string[]).length === 0 ? [] : [`incomplete: ${(degraded as string[]).join(', ')}`];
  const remark = `${['Recalled', countNoun(facts.length, 'fact')].join(' ')}${[...parts, ...late].map((part) => `; ${part}`).join('')}.`;
  const notice = facts.length === 0 ? {} : { notice: DATA_NOTICE };
  return { structured: { ...notice, facts, omitted: left, degraded }, text: factsText(remark, facts) };
};

const leftOut = (reason: string, count: number): string => {
  if (reason === 'contradicted')
    return `${count} more in an open contradiction: call conflicts, or set include_contradicted`;
  if (reason === 'budget') return `${count} did not fit: raise token_budget, or ask for less`;
  if (reason === 'repeated') return `${count} more with the same words as a fact shown here (also)`;
  return `${count} left out: ${reason}`;
};

interface QueryArguments extends JsonObject {
  readonly token_budget?: number;
  readonly limit?: number;
}

export const queryTool = defineTool<QueryArguments>({
  name: 'query',
  description: 'List facts by exact entity, relation or source, newest first. Use recall to search by meaning.',
  permission: 'read',
  routes: ['GET /v1/facts'],
  effect: 'nothing',
  input: {
    entity: TEXT,
    relation: TEXT,
    source: TEXT,
    scope: SCOPE,
    garden_id: TEXT,
    min_confidence: SHARE,
    after: TEXT,
    before: TEXT,
    as_of: { ...TEXT, description: 'Instant; as memory was then' },
    include_contradicted: FLAG,
    include_expired: FLAG,
    include_retracted: FLAG,
    limit: limitTo(100, 20),
    cursor: TEXT,
    token_budget: tokenBudget(LIST_TOKENS),
  },
  output: { facts: OBJECTS, total: { type: 'integer' }, cursor: CURSOR },
  run: ({ token_budget: budget = LIST_TOKENS, ...args }, { node }) =>
    boundedPage(
      budget,
      async (limit = args.limit) => {
        const query = { ...args, limit, fields: VIEW_FIELDS };
        const body = await ask(node, { route: 'GET /v1/facts', query });
        return { items: factsIn(body, node.nowMs()), body };
      },
      ({ items, body: { total, cursor } }) => {
        const remark = `${countNoun(items.length, 'fact')} of ${total}${moreAt(cursor)}.`;
        return {
          structured: { notice: DATA_NOTICE, facts: items, total, cursor },
          text: factsText(remark, items),
        };
      },
    ),
});

interface CardArguments {
  readonly entity: string;
  readonly scope?: string;
}

export const cardTool = defineTool<CardArguments>({
  name: 'card',
  description: 'Short summary of one entity in a scope.',
  permission: 'read',
  routes: ['GET /v1/cards/*entity_uri'],
  effect: 'nothing',
  input: { entity: TEXT, scope: SCOPE },
  required: ['entity'],
  output: { card: { type: 'object' } },
  async run({ entity, ...query }, { node }) {
    return cardResult(await ask(node, { route: 'GET /v1/cards/*entity_uri', params: { entity_uri: entity }, query }));
  },
});

/** A card without the hashes of its facts, which are useless to a model. */
export const cardResult = ({ fact_hashes: _, card_stale: __, ...whole }: JsonObject): ToolResult => {
  const result = (card: unknown): ToolResult => ({
    structured: { notice: DATA_NOTICE, card },
    text: contentText('The card.', [JSON.stringify(card)]),
  });
  return result(documentWithin(whole, LIST_TOKENS, result));
};

export const neighborsTool = defineTool<QueryArguments>({
  name: 'neighbors',
  description: 'Entities that facts connect with an entity, nearest first.',
  permission: 'read',
  routes: ['GET /v1/graph/neighbors'],
  effect: 'nothing',
  input: {
    entity: TEXT,
    depth: { type: 'integer', minimum: 1, maximum: 2 },
    relation: TEXT,
    scope: SCOPE,
    min_confidence: SHARE,
    limit: limitTo(200, 50),
    cursor: TEXT,
    token_budget: tokenBudget(LIST_TOKENS),
  },
  required: ['entity'],
  output: { neighbors: OBJECTS, cursor: CURSOR },
  run: ({ token_budget: budget = LIST_TOKENS, ...args }, { node }) =>
    boundedPage(
      budget,
      async (limit = args.limit) => {
        const body = await ask(node, {
          route: 'GET /v1/graph/neighbors',
          query: { ...args, limit } as unknown as Parameters,
        });
        return { items: body['neighbors'] as readonly JsonObject[], body };
      },
      ({ items, body: { next_cursor: cursor } }) => {
        const lines = items.map((neighbor) => neighborLine(neighbor));
        const remark = `${countNoun(items.length, 'neighbor')}${moreAt(cursor)}.`;
        return {
          structured: { notice: DATA_NOTICE, neighbors: items, cursor },
          text: contentText(remark, lines.length === 0 ? [] : [NEIGHBOR_HEAD, ...lines]),
        };
      },
    ),
});

type Parameters = Readonly<Record<string, string>>;

const NEIGHBOR_HEAD = 'entity | relation | hops | confidence | marks';

const neighborLine = ({ entity, relation, hops, confidence, ...rest }: JsonObject): string =>
  row(entity, relation, hops, confidence, ...Object.values(rest).map((told) => JSON.stringify(told)));

export const conflictsTool = defineTool<QueryArguments>({
  name: 'conflicts',
  description: 'Facts that contradict each other, newest first; settle one with resolve.',
  permission: 'read',
  routes: ['GET /v1/conflicts'],
  effect: 'nothing',
  input: {
    status: { type: 'string', enum: ['unresolved', 'resolved', 'all'] },
    limit: limitTo(100, 20),
    cursor: TEXT,
    token_budget: tokenBudget(LIST_TOKENS),
  },
  output: { conflicts: OBJECTS, cursor: CURSOR },
  run: ({ token_budget: budget = LIST_TOKENS, ...args }, { node }) =>
    boundedPage(
      budget,
      async (limit = args.limit) => {
        const body = await ask(node, {
          route: 'GET /v1/conflicts',
          query: { ...args, limit } as unknown as Parameters,
        });
        const found = body['conflicts'] as readonly JsonObject[];
        return { items: found.map((conflict) => conflictView(conflict, node.nowMs())), body };
      },
      ({ items, body: { cursor } }) => {
        const remark = `${countNoun(items.length, 'conflict')}${moreAt(cursor)}.`;
        return {
          structured: { notice: DATA_NOTICE, conflicts: items, cursor },
          text: contentText(remark, items.flatMap(conflictLines)),
        };
      },
    ),
});

const conflictView = (conflict: JsonObject, nowMs: number): JsonObject => ({
  ...conflict,
  fact_a: cutView(factView(conflict['fact_a'] as JsonObject, nowMs)),
  fact_b: cutView(factView(conflict['fact_b'] as JsonObject, nowMs)),
});

const conflictLines = ({ conflict_id: id, status, fact_a: a, fact_b: b, ...rest }: JsonObject): readonly string[] => [
  [row(id, status), ...Object.entries(rest).map(([name, told]) => `${name}=${JSON.stringify(told)}`)].join(' | '),
  ...[a, b].flatMap((fact) => (fact === undefined ? [] : `  ${factLine(fact as JsonObject)}`)),
];

const moreAt = (cursor: unknown): string => (typeof cursor === 'string' ? `; more with cursor ${cursor}` : '');
