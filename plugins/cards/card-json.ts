import { SHARE_JSON } from '../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  COUNT_JSON,
  INSTANT_JSON,
  listOf,
  objectOf,
  SCOPES,
  STRING_JSON,
  sha256Hex,
} from '../../kernel/plugin-api.ts';
import type { MemoryCard } from './cards-api.ts';

export const CARD_JSON = objectOf(
  {
    entity_uri: STRING_JSON,
    scope: { type: 'string', enum: SCOPES },
    summary: STRING_JSON,
    fact_hashes: listOf({ type: 'string', pattern: '^[0-9a-f]{64}$' }),
    avg_confidence: SHARE_JSON,
    refreshed_at: INSTANT_JSON,
    is_stale: BOOLEAN_JSON,
    card_stale: BOOLEAN_JSON,
    has_contradictions: BOOLEAN_JSON,
    contradicted_count: COUNT_JSON,
    force_refresh_timeout: { type: 'boolean', const: true },
  },
  { optional: ['force_refresh_timeout'] },
);

/** A card as the route shows it. */
export const cardJson = (card: MemoryCard) => ({
  entity_uri: card.entity,
  scope: card.scope,
  summary: card.summary,
  fact_hashes: card.factIds.map((id) => sha256Hex(id)),
  avg_confidence: card.averageConfidence,
  refreshed_at: card.refreshedAt,
  is_stale: card.isStale,
  card_stale: card.isStale,
  has_contradictions: card.contradictedCount > 0,
  contradicted_count: card.contradictedCount,
  ...(card.timedOut ? { force_refresh_timeout: true } : {}),
});
