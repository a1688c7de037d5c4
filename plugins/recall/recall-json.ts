import { type Answers, FACT_PART } from '../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  COUNT_JSON,
  component,
  defineComponent,
  FACT,
  type FactJson,
  type FactText,
  type JsonSchema,
  listOf,
  objectOf,
  type Vocabulary,
} from '../../kernel/plugin-api.ts';
import { cutFact } from './cut-value.ts';
import { BYTES_PER_TOKEN } from './fact-line.ts';
import { defineRecallMember, type Recalled, type RecallMember, RecallMembers, type ScoredFact } from './recall-api.ts';
import { WHY_JSON, WHY_NOT_JSON, whyJson, whyNotJson } from './why-json.ts';
import { withStepFor } from './why-not.ts';

const SHARE_JSON: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };
const SCORE_JSON: JsonSchema = { type: 'number', minimum: 0 };
const FACTORS = ['recency', 'confidence', 'access', 'contradiction', 'garden_tier', 'source_trust'] as const;

/** The maximum number of ids of copies in an answer. */
const MOST_COPY_IDS = 16;

/** The number of omitted facts that say the same as this one, and their first ids. */
const COPIES_JSON = {
  also: { type: 'integer', minimum: 1 },
  also_ids: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MOST_COPY_IDS },
} as const satisfies Readonly<Record<string, JsonSchema>>;

export const SCORED_FACT = defineComponent('ScoredFact', {
  summary: 'a fact that was recalled, with its score and every factor of it',
  json: objectOf(
    {
      fact: component(FACT),
      score: SCORE_JSON,
      hop_distance: COUNT_JSON,
      token_estimate: COUNT_JSON,
      from_card: BOOLEAN_JSON,
      ...COPIES_JSON,
      why: WHY_JSON,
      score_breakdown: objectOf({
        lexical: SHARE_JSON,
        semantic: SHARE_JSON,
        graph: SHARE_JSON,
        fused: SCORE_JSON,
        named: { type: 'number', minimum: 1, maximum: 1.5 },
        timed: { type: 'number', minimum: 1, maximum: 1.5 },
        ...Object.fromEntries(FACTORS.map((name) => [name, SHARE_JSON])),
        weighted_total: SCORE_JSON,
      }),
    },
    { optional: [...Object.keys(COPIES_JSON), 'why'] },
  ),
});

/** Returns the members that count and list the omitted copies of a fact. */
const copiesJson = (ids: readonly string[]) => ({ also: ids.length, also_ids: ids.slice(0, MOST_COPY_IDS) });

/**
 * Returns the JSON of a scored fact as text, around the given text of the fact. All other values are finite numbers.
 */
export const scoredFactText = (
  { view, score, stages, fused, named, timed, salience, hops, tokens, fromCard, copies = [], why }: ScoredFact,
  factText: FactText,
): string =>
  `{"fact":${factText(view)},"score":${score},"hop_distance":${hops},"token_estimate":${tokens},"from_card":${fromCard},` +
  (copies.length === 0 ? '' : `${JSON.stringify(copiesJson(copies)).slice(1, -1)},`) +
  (why === undefined ? '' : `"why":${JSON.stringify(whyJson(why))},`) +
  `"score_breakdown":{"lexical":${stages.lexical},"semantic":${stages.semantic},"graph":${stages.graph},` +
  `"fused":${fused},"named":${named},"timed":${timed},"recency":${salience.recency},"confidence":${salience.confidence},` +
  `"access":${salience.access},"contradiction":${salience.contradiction},"garden_tier":${salience.gardenTier},` +
  `"source_trust":${salience.sourceTrust},"weighted_total":${score}}}`;

export const SCORED_PART = defineComponent('ScoredPart', {
  summary: 'a fact that was recalled, for a caller that named `fields`',
  json: objectOf(
    {
      fact: component(FACT_PART),
      score: SCORE_JSON,
      from_card: { type: 'boolean', const: true },
      value_length: COUNT_JSON,
      ...COPIES_JSON,
      why: WHY_JSON,
    },
    { optional: ['from_card', 'value_length', 'why', ...Object.keys(COPIES_JSON)] },
  ),
});

/**
 * Returns a fact without the factors of its score, for a caller that names `fields`. Cuts its value to `mostBytes`, and
 * then adds the length of the whole value.
 */
export const partFactJson = (
  { view, score, fromCard, copies = [], why }: ScoredFact,
  toJson: FactJson,
  mostBytes?: number,
) => {
  const whole = toJson(view);
  const { fact, valueLength } = mostBytes === undefined ? { fact: whole } : cutFact(whole, mostBytes);
  return {
    fact,
    score,
    ...(fromCard && { from_card: true }),
    ...(valueLength !== undefined && { value_length: valueLength }),
    ...(copies.length > 0 && copiesJson(copies)),
    ...(why !== undefined && { why: whyJson(why) }),
  };
};

/** Members that clients expect even if no plugin declares them. */
const EXPECTED: readonly RecallMember[] = [
  defineRecallMember('tombstone_notices', {
    summary: 'facts that were taken away for good',
    json: { type: 'array' },
    absent: [],
  }),
  defineRecallMember('chain_proof', {
    summary: 'proof that nothing was changed',
    json: { type: 'null' },
    absent: null,
  }),
];

/** The members that plugins fill, in the order of the answer. */
export const recallMembers = (vocabulary: Vocabulary): readonly RecallMember[] => {
  const declared = vocabulary.words(RecallMembers);
  const expected = EXPECTED.map((member) => declared.find(({ id }) => id === member.id) ?? member);
  return [...expected, ...declared.filter((member) => !expected.includes(member))];
};

const FACTS_JSON = listOf(component(SCORED_FACT));

/** Members that need no plugin. */
const OWN_MEMBERS = {
  recall_id: { type: 'string', format: 'uuid' },
  query_hash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  token_budget: COUNT_JSON,
  tokens_used: COUNT_JSON,
  truncated: BOOLEAN_JSON,
  total_scored: COUNT_JSON,
  facts: FACTS_JSON,
  content: FACTS_JSON,
  instructions: FACTS_JSON,
  omitted: {
    ...objectOf({ contradicted: COUNT_JSON, budget: COUNT_JSON, repeated: COUNT_JSON }),
    additionalProperties: COUNT_JSON,
  },
  degraded: listOf({ type: 'string' }),
  why_not: WHY_NOT_JSON,
};

/** Reserves the names of recall's own members, so that no plugin can declare them. */
export const RESERVED_MEMBERS = Object.keys(OWN_MEMBERS).map((name) => RecallMembers.reserve(name));

const addedBy = (vocabulary: Vocabulary) =>
  Object.fromEntries(recallMembers(vocabulary).map(({ id, json }) => [id, json]));

/** The schema of the output of `recalledText`. */
export const RECALL = defineComponent('Recall', {
  summary: 'the facts that matter to a question, within a budget',
  json: (vocabulary) =>
    objectOf({ ...OWN_MEMBERS, ...addedBy(vocabulary) }, { optional: ['content', 'instructions', 'why_not'] }),
});

/** The schema of the output with `fields`: each fact once, with only these members. */
export const RECALL_PART = defineComponent('RecallPart', {
  summary: 'a recall with the members of facts that `fields` names',
  json: (vocabulary) => {
    const { content: _, instructions: __, ...once } = OWN_MEMBERS;
    const members = { ...once, ...addedBy(vocabulary), facts: listOf(component(SCORED_PART)) };
    return objectOf(members, { optional: ['why_not'] });
  },
});

export const RECALL_ANSWERS: Answers = {
  200: {
    json: component(RECALL),
    part: component(RECALL_PART),
    headers: { 'X-Total-Count': 'The same number as `total_scored`' },
  },
};

/**
 * Returns the answer as JSON text. `texts` are the facts, each serialised once, because they occur twice in the answer
 * and make up most of it. `isShort` leaves out the lists `content` and `instructions`.
 */
export const recalledText = (
  recalled: Recalled,
  texts: readonly string[],
  { isShort, members }: { readonly isShort: boolean; readonly members: readonly RecallMember[] },
): string => {
  const { facts, omitted, degraded } = recalled;
  const instructs = (at: number): boolean => facts[at]?.view.fact.value.interpretAs === 'instruction';
  const head = {
    recall_id: recalled.recallId,
    query_hash: recalled.queryHash,
    token_budget: recalled.tokenBudget,
    tokens_used: recalled.tokensUsed,
    truncated: omitted.budget > 0,
    total_scored: recalled.totalScored,
  };
  const all = texts.join(',');
  const instructions = isShort ? [] : texts.filter((_, at) => instructs(at));
  const content = instructions.length === 0 ? all : texts.filter((_, at) => !instructs(at)).join(',');
  const twice = `,"content":[${content}],"instructions":[${instructions.join(',')}]`;
  const claimed = members.map(({ id, absent }) => [id, recalled.members.has(id) ? recalled.members.get(id) : absent]);
  const tail = {
    omitted,
    degraded: degraded.map(({ id }) => id),
    ...(recalled.whyNot !== undefined && { why_not: recalled.whyNot.map(whyNotJson) }),
    ...Object.fromEntries(claimed),
  };
  const lists = `"facts":[${all}]${isShort ? '' : twice}`;
  return `${JSON.stringify(head).slice(0, -1)},${lists},${JSON.stringify(tail).slice(1)}`;
};

/** Returns the cost of a text that states its own cost, and has `otherBytes` beside that number. */
const costWithItself = (otherBytes: number, atMost: number): number => {
  const costIf = (stated: number): number => Math.ceil((otherBytes + String(stated).length) / BYTES_PER_TOKEN);
  let cost = costIf(atMost);
  // A smaller number may have fewer digits, so that the text costs less again.
  while (costIf(cost) < cost) cost = costIf(cost);
  return cost;
};

/**
 * Returns the answer with `fields`. `tokens_used` is the cost of this text itself. Drops facts from the end while the
 * cost exceeds the budget. An answer without facts counts as 0.
 */
export const countedText = (
  recalled: Recalled,
  texts: readonly string[],
  { members }: { readonly members: readonly RecallMember[] },
): string => {
  const spell = (listed: readonly string[], count: number, tokensUsed: number): string => {
    const budget = recalled.omitted.budget + recalled.facts.length - count;
    const facts = recalled.facts.slice(0, listed.length);
    const kept = recalled.facts.slice(0, count);
    const whyNot = withStepFor(recalled.whyNot, kept, 'budget');
    const answer = { ...recalled, facts, omitted: { ...recalled.omitted, budget }, tokensUsed, whyNot };
    return recalledText(answer, listed, { isShort: true, members });
  };
  // The loop measures only the members beside the facts, because the facts may be long.
  let listBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, -1);
  for (let count = texts.length; count > 0; count -= 1) {
    const otherBytes = Buffer.byteLength(spell([], count, 0)) - 1 + listBytes;
    const tokens = costWithItself(otherBytes, recalled.tokenBudget);
    if (tokens <= recalled.tokenBudget) return spell(texts.slice(0, count), count, tokens);
    listBytes -= Buffer.byteLength(texts[count - 1] ?? '') + 1;
  }
  return spell([], 0, 0);
};
