import {
  formatInstant,
  matchKey,
  memberRefusal,
  type Route,
  readEntityUri,
  requireReadScope,
  SCOPES,
  type Scope,
  ServiceError,
  type ServiceNames,
  schema,
} from '../../kernel/plugin-api.ts';
import { cardJson } from './card.ts';
import type { MemoryCards } from './memory-cards.ts';

interface CardQuery {
  readonly scope: Scope;
  readonly refresh: boolean;
  readonly force_refresh: boolean;
}

/** GET /v1/cards/{entity_uri…} (wire contract 7). */
export const cardRoute = (cards: MemoryCards, names: ServiceNames): Route<{ entity_uri: string }, CardQuery> => ({
  method: 'GET',
  path: '/v1/cards/*entity_uri',
  summary: 'What is known about an entity, in short',
  access: { permission: 'read' },
  dimension: 'fact_read',
  params: schema<{ entity_uri: string }>({
    type: 'object',
    properties: { entity_uri: { type: 'string' } },
    required: ['entity_uri'],
  }),
  query: schema<CardQuery>({
    type: 'object',
    properties: {
      scope: { type: 'string', enum: SCOPES, default: 'local' },
      refresh: { type: 'boolean', default: false },
      force_refresh: { type: 'boolean', default: false },
    },
  }),
  async handle({ caller, params, query }) {
    const { scope } = query;
    const entity = readSubject(params.entity_uri);
    requireReadScope(caller, scope);
    const subject = { entityKey: matchKey(entity, names), scope };
    const reading = await cards.read(caller, subject, query.refresh || query.force_refresh);
    if (reading === null) throw nothingKnown(entity);
    const { card, isStale, timedOut } = reading;
    const refreshedAt = formatInstant(card.refreshedMs);
    return { status: 200, body: cardJson(card, { entity, scope, refreshedAt, isStale, timedOut }) };
  },
});

/** Cards answer with `validation` alone where other routes say more (wire contract 1.8). */
const readSubject = (text: string): string => {
  try {
    return readEntityUri(text, 'path.entity_uri');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const violations = error.violations === undefined ? {} : { violations: error.violations };
    throw new ServiceError('validation', error.message, { status: 400, ...violations });
  }
};

const CLIMBS = /(^|[/\\])\.\.([/\\]|$)/;

/**
 * Dots may stand in a name. One that climbs a path and that nobody has said anything about is no name but an attempt
 * (reliability, C8-05).
 */
const nothingKnown = (entity: string): ServiceError =>
  CLIMBS.test(entity)
    ? memberRefusal('path.entity_uri', 'must not climb a path with two dots', 'validation', { status: 400 })
    : new ServiceError('lookup', 'there are no live facts about this entity in this scope');
