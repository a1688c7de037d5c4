import { objectSchema } from '../../kernel/internal-api.ts';
import { type Route, SCOPES, type Scope } from '../../kernel/plugin-api.ts';
import { type FactNarrowing, NARROWING_QUERY, narrowingOf } from '../facts/facts-api.ts';
import { CARD_JSON, cardJson } from './card-json.ts';
import type { MemoryCards } from './cards-api.ts';

/** The cost of a card, which compares all facts of the entity, up to a limit. */
const COST = 250;

interface CardQuery extends FactNarrowing {
  readonly scope: Scope;
  readonly refresh: boolean;
  readonly force_refresh: boolean;
  readonly as_of?: string;
}

/** `GET /v1/cards/{entity_uri…}` */
export const cardRoute = (cards: MemoryCards, knowsPast: boolean): Route<{ entity_uri: string }, CardQuery> => ({
  method: 'GET',
  path: '/v1/cards/*entity_uri',
  summary: 'What is known about an entity, in short',
  access: { permission: 'read' },
  dimension: 'fact_read',
  cost: COST,
  params: objectSchema<{ entity_uri: string }>({ entity_uri: { type: 'string' } }),
  query: objectSchema<CardQuery>({
    scope: { type: 'string', enum: SCOPES, default: 'local' },
    refresh: { type: 'boolean', default: false },
    force_refresh: { type: 'boolean', default: false },
    ...NARROWING_QUERY,
    ...(knowsPast && { as_of: { type: 'string' } }),
  }),
  answers: { 200: { json: CARD_JSON } },
  example: { params: { entity_uri: 'project:atlas' }, query: { scope: 'company', refresh: true } },
  async handle({ caller, params, query }) {
    const request = {
      entity: params.entity_uri,
      scope: query.scope,
      refresh: query.refresh || query.force_refresh,
      asOf: query.as_of,
      ...narrowingOf(query),
    };
    return { status: 200, body: cardJson(await cards.read(caller, request)) };
  },
});
