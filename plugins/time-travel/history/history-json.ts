import { FACT_PART, formatHlc, TRUNCATED_JSON } from '../../../kernel/internal-api.ts';
import {
  CURSOR_JSON,
  component,
  defineComponent,
  FACT,
  type FactJson,
  formatInstant,
  INSTANT_JSON,
  type JsonSchema,
  listOf,
  objectOf,
  orNull,
  SCOPES,
  STRING_JSON,
} from '../../../kernel/plugin-api.ts';
import type { HistoryEvent, TripleReigns } from './read-history.ts';

const END_JSON = objectOf({
  at: INSTANT_JSON,
  by: { type: 'string', enum: ['retraction', 'resolution', 'replacement', 'valid_until', 'ttl'] },
  fact_id: orNull(STRING_JSON),
});

const eventSchema = (fact: JsonSchema) =>
  objectOf({
    event: { type: 'string', enum: ['asserted', 'received', 'retracted', 'resolved'] },
    recorded_at: INSTANT_JSON,
    stamp: STRING_JSON,
    fact,
    contradicts: listOf(STRING_JSON),
    ends: listOf(STRING_JSON),
    ended: orNull(END_JSON),
  });

const PERIOD_JSON = objectOf({ fact_ids: listOf(STRING_JSON), from: INSTANT_JSON, until: orNull(INSTANT_JSON) });

const TRIPLE_JSON = objectOf(
  {
    entity: STRING_JSON,
    relation: STRING_JSON,
    scope: { type: 'string', enum: SCOPES },
    periods: listOf(PERIOD_JSON),
    truncated: TRUNCATED_JSON,
  },
  { optional: ['truncated'] },
);

const historySchema = (fact: JsonSchema) =>
  objectOf({ events: listOf(eventSchema(fact)), winners: listOf(TRIPLE_JSON), cursor: CURSOR_JSON });

export const HISTORY = defineComponent('History', {
  summary: 'the recorded changes of facts, and their winners',
  json: historySchema(component(FACT)),
});
/** The history with only the requested members of facts. */
export const HISTORY_PART_JSON = historySchema(component(FACT_PART));

/** Leaves out a future end, which the fact itself shows. */
export const eventJson = (
  { kind, view, contradicts, ends, life }: HistoryEvent,
  { factJson, nowMs }: { readonly factJson: FactJson; readonly nowMs: number },
): Record<string, unknown> => {
  const end = life?.end != null && life.end.at.wallMs <= nowMs ? life.end : null;
  return {
    event: kind,
    recorded_at: formatInstant(view.fact.feed.wallMs),
    stamp: formatHlc(view.fact.feed),
    fact: factJson(view),
    contradicts,
    ends,
    ended: end === null ? null : { at: formatInstant(end.at.wallMs), by: end.by, fact_id: end.factId },
  };
};

export const triplesJson = (triples: readonly TripleReigns[]): Record<string, unknown>[] =>
  triples.map(({ triple: { entity, relation, scope }, periods }) => ({
    entity,
    relation,
    scope,
    periods: (periods ?? []).map(({ factIds, from, until }) => ({
      fact_ids: factIds,
      from: formatInstant(from.wallMs),
      until: until === null ? null : formatInstant(until.wallMs),
    })),
    ...(periods === null ? { truncated: true } : {}),
  }));
