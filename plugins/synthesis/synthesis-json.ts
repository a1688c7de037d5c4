import { SHARE_JSON, TRUNCATED_JSON, VALUE_TYPES } from '../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  COUNT_JSON,
  defineComponent,
  type FactValue,
  formatInstant,
  INSTANT_JSON,
  listOf,
  objectOf,
  orNull,
  SCOPES,
  STRING_JSON,
  spellList,
} from '../../kernel/plugin-api.ts';
import type { Synthesis, SynthesisedFact, SynthesisedTriple } from './synthesis-api.ts';

const VALUE_JSON = objectOf(
  { type: { type: 'string', enum: VALUE_TYPES }, v: {}, interpret_as: { type: 'string', const: 'instruction' } },
  { optional: ['interpret_as'] },
);

/** The place of a fact, unless the answer states it once for all facts. */
const PLACE_JSON = { scope: { type: 'string', enum: SCOPES }, garden_id: STRING_JSON };
const PLACE = Object.keys(PLACE_JSON);

const FACT_JSON = objectOf(
  {
    id: STRING_JSON,
    entity: STRING_JSON,
    relation: STRING_JSON,
    value: VALUE_JSON,
    confidence: SHARE_JSON,
    timestamp: STRING_JSON,
    valid_from: STRING_JSON,
    valid_until: orNull(STRING_JSON),
    is_expired: BOOLEAN_JSON,
    age_seconds: COUNT_JSON,
    contradicted: BOOLEAN_JSON,
    source: STRING_JSON,
    ...PLACE_JSON,
  },
  { optional: ['valid_from', ...PLACE] },
);

const TRIPLE_JSON = objectOf(
  {
    entity: STRING_JSON,
    relation: STRING_JSON,
    value: VALUE_JSON,
    confidence: SHARE_JSON,
    hlc: STRING_JSON,
    contradicted: BOOLEAN_JSON,
    alt_value: orNull(VALUE_JSON),
    alt_confidence: orNull(SHARE_JSON),
    ...PLACE_JSON,
  },
  { optional: PLACE },
);

export const SYNTHESIS = defineComponent('Synthesis', {
  summary: 'the strongest facts of a scope, with counts',
  json: objectOf(
    {
      scope: { type: 'string', enum: [...SCOPES, 'all'] },
      fact_count: COUNT_JSON,
      facts: listOf(FACT_JSON),
      summary: listOf(TRIPLE_JSON),
      contradiction_count: COUNT_JSON,
      filtered_count: COUNT_JSON,
      mean_confidence: orNull(SHARE_JSON),
      freshest_timestamp: orNull(STRING_JSON),
      oldest_timestamp: orNull(STRING_JSON),
      expired_fact_count: COUNT_JSON,
      synthesized_at: INSTANT_JSON,
      truncated: TRUNCATED_JSON,
    },
    { optional: ['truncated'] },
  ),
});

/** No byte limit here, because the lists were limited to the size of a reply before. */
const WHOLE = Number.POSITIVE_INFINITY;

/** A synthesis as its routes show it. */
export const synthesisJson = async (synthesis: Synthesis): Promise<Record<string, unknown>> => {
  const { facts, triples, scope, madeMs } = synthesis;
  const byTime = [...facts].sort((a, b) => a.fact.timestampMs - b.fact.timestampMs);
  return {
    scope,
    fact_count: synthesis.factCount,
    facts: await spellList(facts, (fact) => factJson(fact, synthesis), WHOLE),
    summary: await spellList(triples, (triple) => tripleJson(triple, synthesis), WHOLE),
    contradiction_count: synthesis.contradictionCount,
    filtered_count: synthesis.filteredCount,
    mean_confidence: meanConfidence(facts),
    freshest_timestamp: byTime.at(-1)?.fact.timestamp ?? null,
    oldest_timestamp: byTime[0]?.fact.timestamp ?? null,
    expired_fact_count: synthesis.expiredCount,
    synthesized_at: formatInstant(madeMs),
    ...(synthesis.isCut ? { truncated: true } : {}),
  };
};

const factJson = ({ fact, garden, isExpired, isContradicted }: SynthesisedFact, { scope, madeMs }: Synthesis) => ({
  id: fact.id,
  entity: fact.entity,
  relation: fact.relation,
  value: valueJson(fact.value),
  confidence: fact.confidence,
  timestamp: fact.timestamp,
  ...(fact.validFrom !== null && { valid_from: fact.validFrom }),
  valid_until: fact.validUntil,
  is_expired: isExpired,
  age_seconds: Math.max(0, Math.floor((madeMs - fact.timestampMs) / 1000)),
  contradicted: isContradicted,
  source: fact.source,
  ...(scope === 'all' ? { scope: fact.scope } : {}),
  ...(garden === null ? {} : { garden_id: garden }),
});

const tripleJson = ({ winner, garden, isContradicted, rival }: SynthesisedTriple, { scope }: Synthesis) => ({
  entity: winner.entity,
  relation: winner.relation,
  value: valueJson(winner.value),
  confidence: winner.confidence,
  hlc: winner.hlcText,
  contradicted: isContradicted,
  alt_value: rival === null ? null : valueJson(rival.value),
  alt_confidence: rival === null ? null : rival.confidence,
  ...(scope === 'all' ? { scope: winner.scope } : {}),
  ...(garden === null ? {} : { garden_id: garden }),
});

/** Marks instructions, so that readers do not mistake them for content. */
const valueJson = ({ type, v, interpretAs }: FactValue) =>
  interpretAs === 'instruction' ? { type, v, interpret_as: interpretAs } : { type, v };

/** Rounds to six decimals, because sums such as 0.1 + 0.2 are inexact. */
const meanConfidence = (facts: readonly SynthesisedFact[]): number | null => {
  if (facts.length === 0) return null;
  const sum = facts.reduce((total, { fact }) => total + fact.confidence, 0);
  return Math.round((sum / facts.length) * 1e6) / 1e6;
};
