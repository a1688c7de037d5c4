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
import { CURSOR, defineTool, FLAG, limitTo, OBJECTS, SCOPE, SHARE, TEXT } from '../tool-definition.ts';

const RECALL_BUDGET = 2_000;

export const recallTool = defineTool<JsonObject>({
  name: 'recall',
  description:
    'Find what matters for a question or about an entity, best first, within a token budget. Use it before you answer or decide.',
  permission: 'read',
  routes: ['POST /v1/recall'],
  effect: 'nothing',
  input: {
    query: { ...TEXT, description: 'Question in plain words; this or entity is needed' },
    entity: TEXT,
    relation: TEXT,
    scope: { ...TEXT, description: 'A scope or garden:<slug>; default all' },
    token_budget: limitTo(200_000, RECALL_BUDGET),
    min_confidence: SHARE,
    include_contradicted: FLAG,
  },
  output: { notice: TEXT, facts: OBJECTS, omitted: { type: 'object' }, degraded: { type: 'array', items: TEXT } },
  async run(args, { node }) {
    const body = await ask(node, {
      route: 'POST /v1/recall',
      body: { token_budget: RECALL_BUDGET, ...args, fields: VIEW_FIELDS },
    });
    const found = body['facts'] as readonly { readonly fact: JsonObject; readonly score: number }[];
    const facts = found.map(({ fact, score }) => ({ ...factView(fact), score: Math.round(score * 1_000) / 1_000 }));
    const { omitted, degraded } = body;
    const left = (omitted as { readonly budget: number }).budget;
    const remark = `Recalled ${countNoun(facts.length, 'fact')}${left > 0 ? `; ${left} did not fit the budget` : ''}.`;
    return { structured: { notice: DATA_NOTICE, facts, omitted, degraded }, text: factsText(remark, facts) };
  },
});

export const queryTool = defineTool<JsonObject>({
  name: 'query',
  description:
    'List facts by exact entity, relation or source, newest first, in pages. Use recall to search by meaning.',
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
    after: { ...TEXT, description: 'Instant; only later facts' },
    as_of: { ...TEXT, description: 'Instant; as memory was then' },
    include_contradicted: FLAG,
    include_expired: FLAG,
    include_retracted: FLAG,
    limit: limitTo(100, 20),
    cursor: TEXT,
  },
  output: { notice: TEXT, facts: OBJECTS, total: { type: 'integer' }, cursor: CURSOR },
  async run(args, { node }) {
    const body = await ask(node, { route: 'GET /v1/facts', query: { ...args, fields: VIEW_FIELDS } });
    const facts = factsIn(body);
    const { total, cursor } = body;
    const remark = `${countNoun(facts.length, 'fact')} of ${total}${moreAt(cursor)}.`;
    return { structured: { notice: DATA_NOTICE, facts, total, cursor }, text: factsText(remark, facts) };
  },
});

export const cardTool = defineTool<{ readonly entity: string; readonly scope?: string }>({
  name: 'card',
  description: 'Short summary of what is known about one entity in a scope.',
  permission: 'read',
  routes: ['GET /v1/cards/*entity_uri'],
  effect: 'nothing',
  input: { entity: TEXT, scope: SCOPE },
  required: ['entity'],
  output: { notice: TEXT, card: { type: 'object' } },
  async run({ entity, scope }, { node }) {
    return cardResult(
      await ask(node, { route: 'GET /v1/cards/*entity_uri', params: { entity_uri: entity }, query: { scope } }),
    );
  },
});

/** A card without the hashes of its facts, which are useless to a model. */
export const cardResult = ({ fact_hashes: _, card_stale: __, ...card }: JsonObject) => ({
  structured: { notice: DATA_NOTICE, card },
  text: contentText('The card.', [JSON.stringify(card)]),
});

export const neighborsTool = defineTool<JsonObject>({
  name: 'neighbors',
  description: 'Entities that facts connect with an entity, nearest first, in pages.',
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
  },
  required: ['entity'],
  output: { notice: TEXT, neighbors: OBJECTS, cursor: CURSOR },
  async run(args, { node }) {
    const body = await ask(node, { route: 'GET /v1/graph/neighbors', query: args as Readonly<Record<string, string>> });
    const neighbors = body['neighbors'] as readonly JsonObject[];
    const cursor = body['next_cursor'];
    const lines = neighbors.map(({ entity, relation, hops, confidence }) => row(entity, relation, hops, confidence));
    const remark = `${countNoun(neighbors.length, 'neighbor')}${moreAt(cursor)}.`;
    return {
      structured: { notice: DATA_NOTICE, neighbors, cursor },
      text: contentText(remark, lines.length === 0 ? [] : ['entity | relation | hops | confidence', ...lines]),
    };
  },
});

export const conflictsTool = defineTool<JsonObject>({
  name: 'conflicts',
  description: 'Facts that contradict each other, newest first, in pages; settle one with resolve.',
  permission: 'read',
  routes: ['GET /v1/conflicts'],
  effect: 'nothing',
  input: {
    status: { type: 'string', enum: ['unresolved', 'resolved', 'all'] },
    limit: limitTo(100, 20),
    cursor: TEXT,
  },
  output: { notice: TEXT, conflicts: OBJECTS, cursor: CURSOR },
  async run(args, { node }) {
    const body = await ask(node, { route: 'GET /v1/conflicts', query: args as Readonly<Record<string, string>> });
    const conflicts = (body['conflicts'] as readonly JsonObject[]).map(conflictView);
    const { cursor } = body;
    const lines = conflicts.flatMap((conflict) => [
      row(conflict['conflict_id'], conflict['status']),
      `  ${factLine(conflict['fact_a'] as JsonObject)}`,
      `  ${factLine(conflict['fact_b'] as JsonObject)}`,
    ]);
    const remark = `${countNoun(conflicts.length, 'conflict')}${moreAt(cursor)}.`;
    return { structured: { notice: DATA_NOTICE, conflicts, cursor }, text: contentText(remark, lines) };
  },
});

const conflictView = (conflict: JsonObject): JsonObject => ({
  ...conflict,
  fact_a: factView(conflict['fact_a'] as JsonObject),
  fact_b: factView(conflict['fact_b'] as JsonObject),
});

const moreAt = (cursor: unknown): string => (typeof cursor === 'string' ? `; more with cursor ${cursor}` : '');
